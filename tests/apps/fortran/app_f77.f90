! Module app for Fortran 77, which knows no modules.
subroutine appopt(name, times)
  use app
  implicit none
  character(len=*), intent(in) :: name
  integer, intent(inout) :: times
  type(options) :: given

  given%times = times
  call parse_options(name, .false., given)
  times = given%times
end subroutine appopt

logical function append(rank, status)
  use app
  implicit none
  integer, intent(in) :: rank
  integer, intent(out) :: status

  append = may_not_work(rank, status)
end function append

subroutine apphld(rank, step)
  use app
  implicit none
  integer, intent(in) :: rank, step

  call hold_here(rank, step)
end subroutine apphld

integer function apptel(values, count, communicator, right, reason)
  use, intrinsic :: iso_c_binding, only: c_size_t
  use app
  implicit none
  integer, intent(in) :: count, communicator
  double precision, intent(in) :: values(count)
  logical, intent(in) :: right
  character(len=*), intent(in) :: reason

  apptel = tell_result(digest_of_ranks(digest(digest_start, values, int(count, c_size_t)), communicator), right, reason)
end function apptel
