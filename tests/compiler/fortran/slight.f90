! Steps that do next to nothing beside what comes before them, as far as can be guessed.
program slight
  use mpi
  implicit none
  integer :: ierror, step, i
  double precision :: table(4000000), total
  call mpi_init(ierror)
  do i = 1, size(table)
    table(i) = sqrt(i * 0.5d0)
  end do
  do step = 1, 100
    call mpi_allreduce(table(step), total, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierror)
  end do
  print *, total, sum(table)
  call mpi_finalize(ierror)
end program
