! In one with procedures that are followed.
module beside
  implicit none
contains
  subroutine add(total, by)
    real(8), intent(inout) :: total
    real(8), intent(in) :: by
    total = total + by
  end subroutine
end module
submodule (solver) near
  use beside
  implicit none
contains
  module subroutine look_nearby(total)
    real(8), intent(inout) :: total
    call add(total, from_own_file(7))
  end subroutine
end submodule
