! Lines that the preprocessor joins. A safe point goes behind the line that ends a loop's header.
program spliced
  use mpi
  implicit none
  integer, parameter :: n = 1000
  real(8) :: before(n), total, \
             mine
  integer :: step, ierr
  call MPI_Init(ierr)
  before = 1; total = 0
\
  do step = 1, 4
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    before = step
    mine = sum(before)
    call MPI_Allreduce(mine, total, 1, MPI_REAL8, MPI_SUM, \
MPI_COMM_WORLD, ierr)
  end do
  print '(f20.3)', total
  call MPI_Finalize(ierr)
end program
