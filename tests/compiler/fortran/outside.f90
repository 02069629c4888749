! Arrays that are overwritten in each step, behind a call of code that is not known here: dead is what that code has no
! name of and was never given, by any name of a target.
module state
  implicit none
  integer, parameter :: n = 1000
  real(8) :: work(n), through(n), named(n), given(n), by_callback(n), by_host(n)
  real(8), target :: apart(n), known(n)
  real(8), pointer :: to_apart(:), to_known(:)
contains
  subroutine called_with(x, sum)
    real(8) :: x(n), sum
    call helper(sum)
    x = sum
  end subroutine
end module

subroutine callback(sum)
  use state
  implicit none
  real(8) :: sum
  sum = sum + deeper(3)
contains
  real(8) function deeper(i)
    integer :: i
    deeper = by_callback(i)
  end function
end subroutine

program outside
  use state
  use mpi
  implicit none
  real(8) :: total, sum_there, in_common(n), local(n)
  common /block/ in_common
  integer :: step, ierr
  call mpi_init(ierr)
  work = 1; through = 2; named = 3; given = 4; by_callback = 5; in_common = 6; local = 7; by_host = 8
  total = 0
  apart = 9; known = 10
  to_apart => apart
  to_known => known
  call keep(given)
  call keep_too(known)
  call apply(keep_host)
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    call helper(sum_there)
    total = total + sum_there
    call called_with(through, sum_there)
    work = step
    to_apart = step
    to_known = step
    named = step
    given = step
    by_callback = step
    in_common = step
    total = total + sum(work) + sum(through) + sum(named) + sum(given) + sum(by_callback) + sum(in_common) + &
      sum(apart) + sum(to_known)
  end do
  print '(f20.3)', total
  call mpi_finalize(ierr)
contains
  subroutine apply(what)
    external :: what
    call what(total)
  end subroutine
  subroutine keep_host(sum)
    real(8) :: sum
    sum = sum + local(3) + by_host(4)
  end subroutine
end program
