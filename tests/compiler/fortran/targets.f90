! Procedures that only say with an interface how they take their arguments, and are called without one all the same.
program targets
  use mpi
  implicit none
  integer, parameter :: n = 4000
  double precision, save :: kept(n), work(n)
  double precision :: total
  integer :: error, step, i
  call mpi_init(error)
  total = 0
  do i = 1, n
    kept(i) = i
  end do
  do step = 1, 8
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, n
      work(i) = step * 0.5d0 + kept(i)
    end do
    call smooth(work, n)
    call smooth(kept, n)
    do i = 1, n
      total = total + kept(i) * work(i)
    end do
  end do
  print *, total
  call mpi_finalize(error)
end program targets
