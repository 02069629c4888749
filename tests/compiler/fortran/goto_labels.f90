! Loops made of GOTO that begin with other statements than CONTINUE: IF, an assignment, a construct.
program steps
  use mpi
  implicit none
  integer, parameter :: n = 4000
  integer :: ierror, i, step, ntimes
  double precision :: work(n), kept(n), total
  call mpi_init(ierror)
  total = 0
  step = 0
  kept = [(i, i = 1, n)]
500 if (step >= 8) go to 2000
  call mpi_barrier(mpi_comm_world, ierror)
  do i = 1, n
    work(i) = step * 0.5d0 + i
  end do
  ntimes = 0
600 ntimes = ntimes + 1
  kept = kept + work
  if (ntimes < 3) go to 600
700 if (mod(ntimes, 5) /= 0) then
    ntimes = ntimes + 1
  end if
  total = total + sum(work)
  if (mod(ntimes, 5) /= 0) go to 700
  step = step + 1
  go to 500
2000 total = total + sum(kept)
  print *, total
  call mpi_finalize(ierror)
end program
