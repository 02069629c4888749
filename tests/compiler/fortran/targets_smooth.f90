subroutine smooth(x, n)
  implicit none
  integer, intent(in) :: n
  double precision, target, intent(inout) :: x(n)
  double precision, pointer :: inner(:)
  inner => x(2:n)
  inner = 0.5d0 * inner + 1
end subroutine smooth
