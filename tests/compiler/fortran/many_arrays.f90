! More small arrays than a report names.
program many
  use mpi
  implicit none
  integer :: ierror, step
  integer, save :: a(2), b(2), c(2), d(2), e(2), f(2), g(2), h(2), i(2), j(2), k(2)
  double precision, save :: large(1000), total(1000)
  call mpi_init(ierror)
  large = 1
  a = 1; b = 1; c = 1; d = 1; e = 1; f = 1; g = 1; h = 1; i = 1; j = 1; k = 1
  do step = 1, 100
    call mpi_allreduce(large, total, 1000, mpi_double_precision, mpi_sum, mpi_comm_world, ierror)
    large = large + total
  end do
  print *, large(1), a, b, c, d, e, f, g, h, i, j, k
  call mpi_finalize(ierror)
end program
