! flang finds an error in it: it does not know fnum(), an intrinsic function of gfortran's.
module unread
  implicit none
  integer, parameter :: offset = 3
contains
  subroutine outside(total)
    double precision, intent(inout) :: total
    if (fnum(6) < 0) total = total + offset
  end subroutine outside
end module unread
