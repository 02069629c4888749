! Arrays that all ranks fill together, and blocks of them that loops fill one behind the other; members of a COMMON block
! to which procedures give other shapes.
subroutine pack_lines(width, ranks)
  implicit none
  integer, parameter :: n = 1200
  integer, intent(in) :: width, ranks
  real(8) :: field(30, 40), got(n), sent(n), lines(n), reversed(n)
  common /fields/ field, got, sent, lines, reversed
  integer :: i, j
  do j = 0, 39
    do i = 1, width
      lines(j*width + i) = field(i, j + 1) + ranks
    end do
  end do
  do j = 0, 39
    do i = 1, width
      reversed(j*width + width + 1 - i) = field(i, j + 1)  ! not followed
    end do
  end do
end subroutine

program transfers
  use mpi
  implicit none
  integer, parameter :: n = 1200
  real(8) :: field(n), got(n), sent(40, 30), lines(n), reversed(n), total, halves(2, n), all(n)
  common /fields/ field, got, sent, lines, reversed
  integer :: step, ierr, ranks, width
  call mpi_init(ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  width = 30
  field = 1; got = 2; sent = 3; lines = 4; reversed = 5; halves = 6; all = 7
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    call pack_lines(width, ranks)
    field = field + 1
    sent = step
    call mpi_alltoall(sent, n/ranks, mpi_double_precision, got, n/ranks, mpi_double_precision, mpi_comm_world, ierr)
    call mpi_allreduce(lines, all, n, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    call mpi_allreduce(sent, halves, n, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    total = total + sum(field) + sum(got) + sum(sent) + sum(lines) + sum(reversed) + sum(halves) + sum(all)
  end do
  print '(f20.3)', total
  call mpi_finalize(ierr)
end program
