! Cells that a rank works on one after the other, each of which says by a table which part of the arrays is its own; with
! calls of MPI between. What each pass overwrites of its cell before it reads that is dead, and nothing more than that.
module grid
  implicit none
  integer, parameter :: most = 24, cells = 3
  integer :: slice(cells) = [2, 3, 1], first(cells) = [1, 0, 2], last(cells) = [20, 23, 17], ways = 2
  real(8) :: u(0:most - 1, 0:most - 1, cells)
  real(8) :: lhs(0:most - 1, 0:most - 1, 6, cells), by_cell(most*most, cells), carried(most*most, cells)
  real(8) :: early(most*most, cells), late(most*most, cells), left(most*most, cells), any_way(most*most), turned(most, most)
  real(8) :: spent = 0
contains
  subroutine fill(c)
    integer, intent(in) :: c
    integer :: i, j
    include 'mpif.h'
    do j = first(c), last(c)
      if (ways == 7) spent = spent - mpi_wtime()
      do i = first(c), last(c)
        lhs(i, j, 1, c) = u(i, j, c)
        lhs(i, j, 2, c) = u(i, j, c) + i
        lhs(i, j, 3, c) = u(i, j, c) - j
      end do
    end do
    if (first(c) > 0) then
      do j = first(c), last(c)
        lhs(first(c), j, 2, c) = lhs(first(c), j, 2, c)*2
      end do
    end if
    do j = first(c), last(c)
      do i = first(c), last(c)
        lhs(i, j, 1, c) = lhs(i, j, 1, c) + 1
        lhs(i, j, 2, c) = lhs(i, j, 2, c) + 2
        lhs(i, j, 3, c) = lhs(i, j, 3, c) + 3
      end do
    end do
    do j = first(c), last(c)
      do i = first(c), last(c)
        lhs(i, j, 4, c) = lhs(i, j, 1, c)*0.5
        lhs(i, j, 5, c) = lhs(i, j, 2, c)*0.5
        lhs(i, j, 6, c) = lhs(i, j, 3, c)*0.5
      end do
    end do
  end subroutine

  subroutine fill_one(a, c)
    integer, intent(in) :: c
    real(8) :: a(most*most, cells)
    a(:, c) = c
  end subroutine

  subroutine fill_as(n, x)
    integer, intent(in) :: n
    real(8) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = i
    end do
  end subroutine

  ! One of several ways, none of which need be taken.
  subroutine fill_somehow(way, x)
    integer, intent(in) :: way
    real(8) :: x(most*most)
    if (way == 1) then
      call fill_as(most, x)
    else if (ways == 1) then
      call fill_as(most*most - 1, x)
    else if (ways == 2) then
      call fill_as(most*most, x)
    end if
  end subroutine
end module

subroutine solve
  use grid
  implicit none
  include 'mpif.h'
  integer :: stage, c, other, ierr, i
  do stage = 1, cells
    c = slice(stage)
    if (stage == 1) then
      call fill(c)
    else
      call mpi_barrier(mpi_comm_world, ierr)
      call fill(c)
    end if
    do i = first(c), last(c)
      lhs(i, i, 6, c) = lhs(i, i, 6, c) + lhs(i, i, 4, c)
    end do
    by_cell(:, c) = stage
    ! Each pass reads what the one before has left in another cell.
    carried(:, c) = carried(:, mod(c, cells) + 1)*0.5
    ! The cell is known only after the first access.
    other = mod(stage, cells) + 1
    early(1, other) = early(1, other) + 1
    early(:, c) = stage
    ! As much as the pass says, not the cell.
    late(1:most*stage, c) = stage
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  do stage = 1, cells
    call mpi_barrier(mpi_comm_world, ierr)
    if (stage > ways) exit
    left(:, stage) = stage
  end do
end subroutine

program main
  use grid
  implicit none
  include 'mpif.h'
  integer :: step, ierr, i, j
  real(8) :: total
  call mpi_init(ierr)
  total = 0
  do i = 1, most*most
    carried(i, :) = i
    early(i, :) = i
    late(i, :) = i
    left(i, :) = i
  end do
  do step = 1, 5
    call mpi_barrier(mpi_comm_world, ierr)
    u = step
    call solve
    call fill_somehow(0, any_way)
    do j = 1, most
      do i = 1, most, 1
        turned(i, j) = any_way(i + (j - 1)*most)
      end do
    end do
    u(3, 3, :) = u(3, 3, :) + lhs(3, 3, 5, :) + lhs(0, 0, 6, :)
    total = total + sum(u) + sum(lhs) + sum(by_cell) + sum(carried) + sum(early) + sum(late) + sum(left) + sum(turned)
  end do
  write (*, '(es24.16, f12.4)') total, spent
  call mpi_finalize(ierr)
end program
