! Constructs of OpenMP: what is overwritten in front of the first is dead, of the rest nothing is said, and loops that
! threads run are no safe points.
module work
  use omp_lib
  implicit none
  integer, parameter :: n = 1000
  real(8) :: before(n), filled(n), behind(n), inside(n), own(n), reduced(n)
!$omp threadprivate(own)
contains
  subroutine part(i)
    integer, intent(in) :: i
    integer :: turn
    do turn = 1, 3
      inside(i) = inside(i) + turn
    end do
  end subroutine
  subroutine fill(step)
    integer, intent(in) :: step
    integer :: i
    !$omp parallel do
    do i = 1, n
      filled(i) = step + i
    end do
  end subroutine
end module

program openmp
  use work
  use mpi
  implicit none
  real(8) :: total, sum_there, private_one(n), in_front(n)
  integer :: step, ierr, i, threads
  call mpi_init_thread(mpi_thread_funneled, i, ierr)
  call omp_set_num_threads(2)
  before = 1; filled = 2; behind = 3; inside = 4; reduced = 5; private_one = 6; in_front = 7
  total = 0
  threads = 1
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    before = step
    in_front = step
    !$ threads = omp_get_max_threads()
    sum_there = 0
    !$omp parallel do private(private_one) reduction(+: sum_there) schedule(static)
    do i = 1, n
      private_one(1) = i
      sum_there = sum_there + private_one(1) + behind(i) + reduced(i)
      call part(i)
    end do
    !$omp end parallel do
    !$omp parallel
    !$omp single
    total = total + sum_there
    !$omp end single
    !$omp do
    do i = 1, n
      reduced(i) = reduced(i) + step
    end do
    !$omp end parallel
    call fill(step)
    behind = step
    !$omp atomic
    total = total + private_one(3)
    private_one = step
    total = total + sum(before) + sum(filled) + sum(behind) + sum(inside) + sum(reduced) + sum(private_one) + sum(in_front)
  end do
  print '(f20.3,i4)', total, threads
  call mpi_finalize(ierr)
end program
