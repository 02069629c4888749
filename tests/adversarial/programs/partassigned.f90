! An array that only the assignment of a component's type reads.
module partassigned_data
  use mpi
  implicit none
  type :: part
    real(8) :: v = 1
  contains
    procedure :: put
    generic :: assignment(=) => put
  end type
  type :: whole
    type(part) :: p
  end type
  type(whole) :: x, y
  real(8) :: values(20000)
contains
  subroutine put(one, other)
    class(part), intent(inout) :: one
    class(part), intent(in) :: other
    one%v = other%v + sum(values)
  end subroutine
end module

program partassigned
  use partassigned_data
  implicit none
  integer :: rank, it, k, ierr
  real(8) :: all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do k = 1, 20000
    values(k) = rank + k
  end do
  do it = 1, 10
    y = x
    values = it
    call MPI_Allreduce(y%p%v, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print '(i0,1x,i0,1x,es24.16)', rank, it, all
  end do
  call MPI_Finalize(ierr)
end program
