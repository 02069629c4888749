! A program that has a module `mpi` of its own.
module mpi
  include 'mpif.h'
end module

program own_module
  use mpi, only: MPI_COMM_WORLD
  implicit none
  integer, parameter :: n = 1000
  real(8) :: before(n), total
  integer :: step, ierr
  call MPI_Init(ierr)
  before = 1; total = 0
  do step = 1, 4
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    before = step
    total = total + sum(before)
  end do
  print '(f20.3)', total
  call MPI_Finalize(ierr)
end program
