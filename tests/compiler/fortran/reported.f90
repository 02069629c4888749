! What moves with a safe point, and what does not: locals of procedures that do not run then, constants, what is MPI's.
module reported_data
  implicit none
  real(8), allocatable :: field(:)
  integer, parameter :: sizes(4) = [1, 2, 3, 4]
  real(8) :: table(10) = 1
  logical :: mixes = .true.
end module

program reported
  use mpi
  use reported_data
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  allocate (field(sizes(4) * 250))
  call prepare()
  call work()
  print '(f20.3)', sum(field) + sum(table)
  call MPI_Finalize(ierr)
contains
  subroutine prepare()
    real(8) :: only_before(20)
    only_before = 2
    field = sum(only_before)
  end subroutine

  subroutine work()
    real(8) :: sums(2), total(2), scratch(10000), mixed(10000)
    integer :: step
    sums = 0
    do step = 1, 4
      scratch = step
      if (mixes) mixed = step
      call MPI_Allreduce(sums, total, 2, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierr)
      field = field + sum(scratch) + total(1)
      sums(1) = sums(1) + field(1)
      if (mixes) sums(2) = sums(2) + mixed(step)
    end do
  end subroutine
end program
