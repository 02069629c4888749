! Macros of the command line whose values are more than one token, in the code and in a condition; those that every
! preprocessor has; and one that GNU C has on this system, but not GNU Fortran: what it hides overwrites nothing. A file
! that the preprocessor finds by itself.
program macros
  implicit none
  include 'mpif.h'
#include "fftw3.f"
  integer, parameter :: cells = CELLS
#if CELLS > 100*NDIM && defined(NDIM)
  real(8) :: work(cells*NDIM)
#else
  real(8) :: work(1)
#endif
  real(8) :: kept(5000)
  real(8) :: total
  integer :: step, i, ierr
  call mpi_init(ierr)
  if (ierr /= 0) print *, __FILE__, __LINE__
  total = 0
  kept = 1
  do step = 1, 6
    call mpi_barrier(mpi_comm_world, ierr)
#ifdef __linux__
    kept = 2
#endif
    do i = 1, size(work)
      work(i) = step + i*0.5d0
    end do
    do i = 1, size(work)
      total = total + work(i) + kept(1 + mod(i, 5000))
    end do
  end do
  print *, total
  call mpi_finalize(ierr)
end program
