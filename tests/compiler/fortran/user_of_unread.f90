! The module that it uses is in a file that is left as it is.
module user_of_unread
  use unread
  implicit none
contains
  subroutine add_offset(total)
    double precision, intent(inout) :: total
    total = total + offset
    call outside(total)
  end subroutine add_offset
end module user_of_unread

subroutine report(total)
  use user_of_unread
  implicit none
  double precision, intent(in) :: total
  double precision :: shown
  shown = total
  call add_offset(shown)
  print '(f20.6)', shown
end subroutine report
