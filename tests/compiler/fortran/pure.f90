! Polymorphic variables of pure procedures, which gfortran takes: assigned to, allocated and deallocated there.
module potentials
  implicit none
  type, abstract :: potential
  contains
    procedure(evaluated), deferred :: at
  end type
  type, extends(potential) :: linear
    real(8) :: slope = 1
  contains
    procedure :: at => linear_at
  end type
  abstract interface
    pure real(8) function evaluated(this, x)
      import potential
      class(potential), intent(in) :: this
      real(8), intent(in) :: x
    end function
  end interface
contains
  pure real(8) function linear_at(this, x)
    class(linear), intent(in) :: this
    real(8), intent(in) :: x
    linear_at = this%slope * x
  end function
  pure real(8) function value_at(x)
    real(8), intent(in) :: x
    class(potential), allocatable :: one
    type(linear) :: made
    made%slope = 2
    allocate(linear :: one)
    one = made
    value_at = one%at(x)
    deallocate(one)
  end function
end module
program pure_procedures
  use mpi
  use potentials
  implicit none
  integer, parameter :: n = 10000
  real(8) :: work(n), total
  integer :: step, i, ierr
  call mpi_init(ierr)
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    do i = 1, n
      work(i) = i + step
    end do
    total = total + value_at(sum(work))
  end do
  print '(f20.3)', total
  call mpi_finalize(ierr)
end program
