! Uses a library by the modules that the compiler has written: `history` is the library's, and read by it.
program user
  use solver, only: wide, most, total, halved, advance, history, settings, tolerance, strict, orders, turn, checked, name
  use mpi
  implicit none
  integer, parameter :: n = 32
  real(wide), save :: a(n, n), work(n, n), line(most)
  type(settings) :: with
  type(tolerance), parameter :: half_of_it = tolerance(strict%relative(1)*2, strict%relative)
  type(tolerance) :: own = strict
  real(wide) :: weights(orders(2, 2)) = half_of_it%absolute
  complex :: turned = turn
  character(len(name)) :: title = name
  logical :: is_checked = checked
  integer :: step, ierr
  real(wide) :: sums = 0
  call mpi_init(ierr)
  a = 1
  history = 0
  do step = 1, 5
    call mpi_barrier(mpi_comm_world, ierr)
    work = halved(a)
    line = step
    call advance(n, work, title='step', with=with)
    a = a + work
    sums = sums + total(a, scale=2.0_wide) + sum(line) + sum(history)
  end do
  print '(f30.6, 4f12.6, 2f8.2, l2, 1x, a)', sums, weights, turned, is_checked, title
  print '(3es20.10)', own
  call mpi_finalize(ierr)
end program
