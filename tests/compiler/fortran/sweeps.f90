! Cells of several sizes, each of which is filled before it is read; arrays of the main program; sections.
module cells
  implicit none
  integer, parameter :: most = 20, count = 3
  integer :: sizes(2, count) = reshape([12, 20, 7, 9, 20, 1], [2, count])
  real(8) :: rhs(5, 0:most - 1, 0:most - 1, count), u(5, 0:most - 1, 0:most - 1, count)
end module

subroutine compute_rhs
  use cells
  implicit none
  integer :: c, i, j, m
  do c = 1, count
    do j = 0, sizes(2, c) - 1
      do i = 0, sizes(1, c) - 1
        do m = 1, 5
          rhs(m, i, j, c) = u(m, i, j, c)*0.25
        end do
      end do
    end do
    do j = 1, sizes(2, c) - 2
      do i = 1, sizes(1, c) - 2
        rhs(:, i, j, c) = rhs(:, i, j, c) + u(:, i - 1, j, c) - 2*u(:, i, j, c) + u(:, i + 1, j, c)
      end do
    end do
  end do
end subroutine

subroutine add
  use cells
  implicit none
  integer :: c, i, j
  do c = 1, count
    do j = 0, sizes(2, c) - 1
      do i = 0, sizes(1, c) - 1
        u(:, i, j, c) = u(:, i, j, c) + 0.1*rhs(:, i, j, c)
      end do
    end do
  end do
end subroutine

program sweeps
  use cells
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 1024
  real(8) :: line(n), column(n), start(n)
  integer :: step, ierr, i
  call mpi_init(ierr)
  rhs = 0
  do i = 0, most - 1
    u(:, i, :, :) = 1 + 0.01*i
  end do
  start = [(i*0.5d0, i = 1, n)]
  column(:) = start(:) + 1
  do step = 1, 6
    call mpi_barrier(mpi_comm_world, ierr)
    call compute_rhs
    call add
    line(1:n) = step
    column(1:n/2) = line(1:n/2) + column(n/2 + 1:n)
    u(1, 0, 0, 1) = u(1, 0, 0, 1) + sum(line)*1d-6 + sum(column)*1d-7
  end do
  print '(f20.10)', sum(u)
  call mpi_finalize(ierr)
end program
