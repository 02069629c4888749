! FLAGS -O2 -fopenmp
! A COMMON block and an allocatable array that each thread of OpenMP has for itself.
program p
  use mpi
  use omp_lib
  implicit none
  integer :: rank, ierr, step, seen(3)
  double precision :: total, sum
  integer :: counted, thread
  double precision, allocatable, save :: work(:)
  common /own/ counted
  !$omp threadprivate(/own/, work)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call omp_set_dynamic(.false.)
  call omp_set_num_threads(3)
  !$omp parallel
  counted = 10 * omp_get_thread_num()
  allocate (work(1000))
  work = counted
  !$omp end parallel
  do step = 1, 10
    total = 0
    !$omp parallel private(thread) reduction(+:total)
    thread = omp_get_thread_num()
    counted = counted + step
    work(step) = work(step) + counted
    seen(thread + 1) = counted
    total = total + work(step) + size(work)
    !$omp end parallel
    call MPI_Allreduce(total, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print *, rank, step, seen, sum
  end do
  call MPI_Finalize(ierr)
end program
