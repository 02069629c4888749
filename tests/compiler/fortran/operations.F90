! An operation of the program's own: MPI calls its function in any later reduction. One that has to do with nothing but
! what it is given (ADDS) changes nothing else; one that reads a module's array (WEIGHS) keeps this alive.
module operations
  implicit none
  real(8) :: weights(1000), work(1000)
contains
  subroutine adds(in, inout, length, kind)
    integer :: length, kind, i
    real(8) :: in(length), inout(length)
    if (kind == 0) return
    do i = 1, length
      inout(i) = inout(i) + in(i)
    end do
  end subroutine
  subroutine weighs(in, inout, length, kind)
    integer :: length, kind
    real(8) :: in(length), inout(length)
    if (kind /= 0) inout = inout + in * weights(3)
  end subroutine
end module
program reduces
  use mpi
  use operations
  implicit none
  real(8) :: total(4)
  integer :: step, operation, ierr
  call mpi_init(ierr)
  call mpi_op_create(OPERATION, .true., operation, ierr)
  weights = 2
  do step = 1, 10
    call mpi_barrier(mpi_comm_world, ierr)
    work = step
    call mpi_allreduce(work(1:4), total, 4, mpi_real8, operation, mpi_comm_world, ierr)
    weights = total(1) + 1
    print *, step, total(1), sum(work), sum(weights)
  end do
  call mpi_finalize(ierr)
end program
