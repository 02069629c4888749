! What gfortran takes and flang does not: functions of GNU's without a declaration, omp_lib.h, and ierror= for a procedure
! without an interface. And a unit in which procedures have to be declared.
module clock
  implicit none  ! of a function inside
contains
  integer function arguments_and_time()
    arguments_and_time = iargc() + min(0, mclock())
  end function
end module

program gnu
  use mpi
  use clock, only: arguments_and_time
  implicit none(type, external)
  include 'omp_lib.h'
  integer, parameter :: n = 1000
  real(8) :: before(n), total, mine
  integer :: step, ierr
  call MPI_Init(ierror=ierr)
  before = 1 + min(0, omp_get_level()); total = 0
  do step = 1, 4
    call MPI_Barrier(MPI_COMM_WORLD, ierror=ierr)
    before = step
    mine = sum(before)
    call MPI_Allreduce(mine, total, 1, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, ierror=ierr)
  end do
  print '(f20.3,i4)', total, arguments_and_time()
  call MPI_Finalize(ierr)
end program
