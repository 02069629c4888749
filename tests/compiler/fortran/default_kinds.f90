! Compiled with -fdefault-integer-8, -fdefault-double-8 and -fdefault-real-8: a logical is as large as an integer, and an
! option that comes first counts, too. Of each array the second half is written before it is read.
program default_kinds
  use mpi
  implicit none
  integer, parameter :: n = 10000
  logical, save :: flags(n)
  double precision, save :: values(n)
  integer(4) :: error
  integer :: step, i, half, total
  double precision :: sum_of
  call mpi_init(error)
  half = n / 2
  do i = 1, n
    flags(i) = mod(i, 3) == 0
    values(i) = i
  end do
  total = 0
  sum_of = 0
  do step = 1, 8
    call mpi_barrier(mpi_comm_world, error)
    flags(half + 1:n) = mod(step, 2) == 0
    values(half + 1:n) = 0.25d0 * step
    do i = 1, n
      if (flags(i)) total = total + 1
      sum_of = sum_of + values(i)
    end do
  end do
  print *, total, sum_of
  call mpi_finalize(error)
end program default_kinds
