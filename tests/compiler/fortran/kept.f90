! What looks as if it were overwritten before it is read, and is not, or not all of it: nothing of it may be said to be
! dead.
module shared
  implicit none
  integer, parameter :: n = 1000
  real(8) :: partly(n), sometimes(n), early(n), twice(n), other_name(n), skipped(n), shifted(n), again(n), by_pointer(n)
  real(8), target :: pointed(n)
  real(8), pointer :: to_it(:)
  integer :: first = 2, last = n, limit = 500
contains
  subroutine fill(x, y)  ! may be the same
    real(8) :: x(n), y(n)
    integer :: i
    do i = 1, n
      y(i) = x(n + 1 - i) + 1
    end do
  end subroutine
  subroutine fill_both(x)  ! may be an array of the module
    real(8) :: x(n)
    integer :: i
    real(8) :: before
    before = other_name(5)
    do i = 1, n
      x(i) = before + i
    end do
  end subroutine
  subroutine fill_shifted(x, m)
    integer :: m, i
    real(8) :: x(m)
    do i = 1, m
      x(i) = i
    end do
  end subroutine
end module

program kept
  use shared
  use mpi
  implicit none
  integer :: step, ierr, i
  real(8) :: total
  call mpi_init(ierr)
  partly = 1; sometimes = 2; early = 3; twice = 4; other_name = 5; skipped = 6; shifted = 7; again = 8; pointed = 9
  to_it => pointed
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    do i = first, last
      partly(i) = step
    end do
    total = total + sum(partly)
    if (mod(step, 2) == 0) sometimes = step
    total = total + sum(sometimes)
    total = total + early(17)
    early = step
    call fill(twice, twice)
    total = total + sum(twice)
    call fill_both(other_name)
    total = total + sum(other_name)
    do i = 1, n
      if (i > limit) exit
      skipped(i) = step
    end do
    total = total + sum(skipped)
    call fill_shifted(shifted(3), n - 2)
    total = total + sum(shifted)
    do i = 2, n
      again(i) = again(i - 1) + 1
    end do
    total = total + sum(again)
    total = total + to_it(9)
    pointed = step
    limit = limit + 10
  end do
  print '(f20.3)', total
  call mpi_finalize(ierr)
end program
