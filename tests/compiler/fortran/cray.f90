! A Cray pointer leads to an array that has a name of its own. -fcray-pointer
program cray
  use mpi
  implicit none
  integer :: error, step, i
  double precision :: total
  double precision, save :: named(4000), work(4000)
  double precision :: pointed(4000)
  pointer (place, pointed)
  call mpi_init(error)
  total = 0
  place = loc(named)
  do i = 1, 4000
    named(i) = i
  end do
  do step = 1, 8
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, 4000
      work(i) = step * 0.5d0 + pointed(i)
      named(i) = i + step
    end do
    do i = 1, 4000
      total = total + named(i) * work(i)
    end do
  end do
  print *, total
  call mpi_finalize(error)
end program cray
