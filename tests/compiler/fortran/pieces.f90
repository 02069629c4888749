! Arrays that are overwritten piece by piece: what the pieces have together is dead, if nothing of the array is read before
! the last one is written, and as far as it is known which pieces there are.
module shared
  implicit none
  integer, parameter :: n = 600
  real(8) :: faces(n, 4), halves(2 * n), sometimes(2 * n), twice(n)
  real(8) :: between(2 * n), rest_read(40, 30), moved(2 * n), other_half(2 * n), unknown(2 * n), jumped(2 * n)
  integer :: middle = n, width = n
contains
  subroutine fill(x, value)
    real(8) :: x(n)
    integer :: value, i
    do i = 1, n
      x(i) = value + i
    end do
  end subroutine
  subroutine fill_to(x, m, value)
    integer :: m, value, i
    real(8) :: x(2 * n)
    do i = 1, m
      x(i) = value + i
    end do
  end subroutine
end module

program pieces
  use shared
  use mpi
  implicit none
  integer :: step, ierr, i, j
  real(8) :: total
  call mpi_init(ierr)
  faces = 1; halves = 2; sometimes = 3; twice = 4
  between = 5; rest_read = 6; moved = 7; other_half = 8; unknown = 9; jumped = 10
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    ! all of them; what is in two of them counts twice
    call fill(faces(1, 1), step)
    call fill(faces(1, 3), step)
    call fill(faces(1, 2), step)
    call fill(faces(1, 4), step)
    halves(:n) = step
    do i = n + 1, 2 * n
      halves(i) = halves(i - n)
    end do
    twice = step
    twice(1:10) = 2 * step
    ! the second piece is everything, or nothing
    sometimes(:n) = step
    if (mod(step, 2) == 0) sometimes = step
    total = total + sum(faces) + sum(halves) + sum(twice) + sum(sometimes)
    ! the first pieces only
    between(:n) = step
    total = total + between(n + 1)
    between(n + 1:) = step
    do i = 1, 30
      do j = 1, 35
        rest_read(j, i) = step
      end do
      total = total + rest_read(40, i)
    end do
    rest_read(36:, :) = step
    moved(:middle) = step
    middle = middle - 1
    moved(middle + 2:) = step
    call fill_to(other_half, width, step)
    width = width - 1
    call fill_to(unknown, 100 * step, step)
    unknown(n + 1:) = step
    jumped(:n) = step
    do i = n + 1, 2 * n
      if (i > n + 100 * step) exit
      jumped(i) = step
    end do
    total = total + sum(between) + sum(rest_read) + sum(moved) + sum(other_half) + sum(unknown) + sum(jumped)
  end do
  print '(f20.3)', total
  call mpi_finalize(ierr)
end program
