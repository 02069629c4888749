! Compiled with -std=f2003, to which TRAILZ is no intrinsic function: it is the program's, and reads what others write.
module counted
  implicit none
  double precision, save :: work(4000)
end module counted

integer function trailz(step)
  use counted
  implicit none
  integer, intent(in) :: step
  trailz = int(work(7)) + step
end function trailz

program own_intrinsic
  use mpi
  use counted
  implicit none
  integer, external :: trailz
  double precision :: total
  integer :: error, step, i
  call mpi_init(error)
  total = 0
  work = 1
  do step = 1, 8
    call mpi_barrier(mpi_comm_world, error)
    total = total + trailz(step)
    do i = 1, 4000
      work(i) = step * 0.5d0 + i
    end do
    total = total + sum(work)
  end do
  print *, total
  call mpi_finalize(error)
end program own_intrinsic
