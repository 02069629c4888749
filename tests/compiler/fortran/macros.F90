! Macros of the command line whose values are more than one token, in the code and in a condition.
program macros
  implicit none
  include 'mpif.h'
  integer, parameter :: cells = CELLS
#if CELLS > 100*NDIM && defined(NDIM)
  real(8) :: work(cells*NDIM)
#else
  real(8) :: work(1)
#endif
  real(8) :: total
  integer :: step, i, ierr
  call mpi_init(ierr)
  total = 0
  do step = 1, 6
    call mpi_barrier(mpi_comm_world, ierr)
    do i = 1, size(work)
      work(i) = step + i*0.5d0
    end do
    do i = 1, size(work)
      total = total + work(i)
    end do
  end do
  print *, total
  call mpi_finalize(ierr)
end program
