! Directives of OpenMP beside lines of the preprocessor that belong to conditions around other code: which of the code is
! compiled is not changed by them. `kept` is read where NOTHING is not defined; `chosen` overwritten in a branch that is
! not compiled.
program branches
  use mpi
  implicit none
  integer, parameter :: n = 10000
  real(8) :: before(n), kept(n), chosen(n), total
  integer :: step, i, ierr
  call mpi_init_thread(mpi_thread_funneled, i, ierr)
  kept = 1; chosen = 2
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    before = step
#ifdef NOTHING
    total = total + 1
#else
    !$omp parallel do reduction(max:total)
    do i = 1, n
      total = max(total, kept(i))
    end do
    !$omp end parallel do
#endif

#if defined(NOTHING)
    !$omp parallel do
    do i = 1, n
      chosen(i) = step
    end do
    !$omp end parallel do

#elif defined(NEITHER)
    chosen = 3
#else
    !$omp parallel do &
#ifdef NOTHING
    !$omp schedule(dynamic) &
#endif
    !$omp reduction(+:total)
    do i = 1, n
      total = total + chosen(i)
    end do
#endif
    total = total + sum(before)
    kept = kept + mod(total, 10d0)
    chosen = chosen + 1
  end do
  print '(f20.3)', total
  call mpi_finalize(ierr)
end program
