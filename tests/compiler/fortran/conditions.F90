! Lines of the preprocessor between the lines of one directive of OpenMP, which itself has another clause for it.
program conditions
  use mpi
  implicit none
  integer, parameter :: n = 1000
  real(8) :: before(n), shared_one(n), total, part
  integer :: step, i, ierr
  call mpi_init_thread(mpi_thread_funneled, i, ierr)
  before = 1; shared_one = 2
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    before = step
    part = 0
#ifndef NOTHING
    !$omp parallel do default(none) &
    !$omp shared(shared_one, step) &
#ifdef WEIGHTED
    !$omp shared(before) &
#else
    !$omp schedule(static) &
#endif
    !$omp reduction(+:part)
#endif
    do i = 1, n
#ifdef WEIGHTED
      part = part + shared_one(i) * before(i)
#else
      part = part + shared_one(i) * step
#endif
    end do
    !$OMP PARALLEL DO &
#if defined(WEIGHTED)
    !$OMP SCHEDULE(DYNAMIC) &
#endif
    !$OMP PRIVATE(i)
    do i = 1, n
      shared_one(i) = shared_one(i) + 1
    end do
    total = total + part + sum(before)
  end do
  print '(f20.3)', total
  call mpi_finalize(ierr)
end program
