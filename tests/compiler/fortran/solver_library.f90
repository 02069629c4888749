! A library of which a program has modules that gfortran has written, and no sources.
module solver_kinds
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: wide = selected_real_kind(12), most = 1000
  real(8), parameter :: half = 0.5d0
  character(len=5), parameter :: name = 'solve'
  type :: tolerance
    real(wide) :: absolute = 1, relative(2) = 2
  end type
  type(tolerance), parameter :: strict = tolerance(1.0e-9_wide, [0.25_wide, -0.125_wide])
  integer, parameter :: orders(2, 2) = reshape([1, 2, 3, 4], [2, 2])
  complex, parameter :: turn = (0.0, -1.0)
  logical, parameter :: checked = .true.
  type :: settings
    type(tolerance) :: inner
    type(settings), pointer :: next => null()
    integer, allocatable :: steps(:)
  end type
  type(c_ptr) :: handle
end module

module solver
  use solver_kinds
  implicit none
  integer :: calls = 0
  real(wide) :: history(most)
  private :: sum_of_one, sum_of_two
  interface total
    procedure sum_of_one, sum_of_two
  end interface
contains
  pure real(wide) function sum_of_one(a)
    real(wide), intent(in) :: a(:)
    sum_of_one = sum(a)
  end function
  pure real(wide) function sum_of_two(a, scale)
    real(wide), intent(in) :: a(:, :)
    real(wide), intent(in), optional :: scale
    sum_of_two = sum(a)
    if (present(scale)) sum_of_two = sum_of_two*scale
  end function
  elemental real(wide) function halved(x)
    real(wide), intent(in) :: x
    halved = x*half
  end function
  subroutine advance(n, a, with, title, then)
    integer, intent(in) :: n
    real(wide), intent(inout) :: a(n, n)
    type(settings), intent(in), optional :: with
    character(len=*), intent(in) :: title
    interface
      subroutine then()
      end subroutine
    end interface
    optional :: then
    calls = calls + len(title)
    a = a + calls
    if (present(with)) a = a + with%inner%absolute
    history(1 + mod(calls, most)) = a(1, 1)
    if (present(then)) call then()
  end subroutine
end module
