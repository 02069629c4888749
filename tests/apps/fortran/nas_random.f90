! The random numbers of the NAS kernels' specification (NAS report RNR-94-007): x <- 5^13 x mod 2^46.
module nas_random
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  public :: next_random, skip_random

  integer(int64), parameter :: factor = 1220703125_int64
  integer(int64), parameter :: half = 2_int64**23, mask = 2_int64**46 - 1

contains

  ! a b mod 2^46, by halves of 23 bits, since the product has 92.
  pure function product46(a, b) result(c)
    integer(int64), intent(in) :: a, b
    integer(int64) :: c, middle

    middle = a / half * mod(b, half) + mod(a, half) * (b / half)
    c = iand(mod(middle, half) * half + mod(a, half) * mod(b, half), mask)
  end function product46

  ! The next number, between 0 and 1.
  function next_random(x) result(number)
    integer(int64), intent(inout) :: x
    real(real64) :: number

    x = product46(x, factor)
    number = real(x, real64) * 2.0_real64**(-46)
  end function next_random

  ! The state `count` numbers after x.
  pure function skip_random(x, count) result(state)
    integer(int64), intent(in) :: x, count
    integer(int64) :: state, power, left

    state = x
    power = factor
    left = count
    do while (left > 0)
      if (mod(left, 2_int64) == 1) state = product46(state, power)
      power = product46(power, power)
      left = left / 2
    end do
  end function skip_random

end module nas_random
