! As the preprocessor writes it: a marker says that a line has another number, which in this file is that of a loop where
! other data is alive. And a format that lacks a comma.
program markers
  use mpi
  implicit none
  integer, parameter :: n = 1000
  integer :: ierr, i
  real(8) :: x(n), y(n), total
  call MPI_Init(ierr)
  y = 1; total = 0
  do i = 1, 3
    y = sqrt(y * y + i)
  end do
  x = y
# 11 "markers.fpp"
  do i = 1, 4
    y = x + i
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    x = x + y * 1d-9
    total = total + sum(y)
  end do
  print '(f20.6 i3)', total, n / 500
  call MPI_Finalize(ierr)
end program
