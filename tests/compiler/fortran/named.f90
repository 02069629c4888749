! MPI's procedures by name, as `only` has them, some under another one.
module old
  use mpi, only: MPI_Barrier, whole_world => MPI_COMM_WORLD, MPI_Wtime
  implicit none
contains
  subroutine wait_for_all()
    integer :: ierr
    if (MPI_Wtime() < 0) stop 1
    call MPI_Barrier(whole_world, ierr)
  end subroutine
end module

program named
  use mpi_f08, only: MPI_Init, MPI_Finalize, sum_of_all => MPI_Allreduce, MPI_COMM_WORLD, MPI_SUM, MPI_REAL8
  use old, only: wait_for_all
  implicit none
  integer, parameter :: n = 1000
  real(8) :: before(n), total, mine
  integer :: step, ierr
  call MPI_Init(ierr)
  before = 1; total = 0
  do step = 1, 4
    call wait_for_all()
    before = step
    mine = sum(before)
    call sum_of_all(mine, total, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  print '(f20.3)', total
  call MPI_Finalize(ierr)
end program
