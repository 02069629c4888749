! Memory that the ranks of a node share by a window, in Fortran: when it is gone, ranks move.
program shared_window
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ierr, rank, node, ranks, win, i, unit, other
  integer(MPI_ADDRESS_KIND) :: bytes
  type(c_ptr) :: own_memory, others_memory
  real(8), pointer :: a(:), b(:)
  double precision :: s, t
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierr)
  call MPI_Comm_size(node, ranks, ierr)
  bytes = 800
  call MPI_Win_allocate_shared(bytes, 8, MPI_INFO_NULL, node, own_memory, win, ierr)
  call c_f_pointer(own_memory, a, [100])
  other = mod(rank + 1, ranks)
  call MPI_Win_shared_query(win, other, bytes, unit, others_memory, ierr)
  call c_f_pointer(others_memory, b, [100])
  call MPI_Win_fence(0, win, ierr)
  a = rank
  call MPI_Win_fence(0, win, ierr)
  print *, rank, b(100), bytes
  call MPI_Win_fence(0, win, ierr)
  call MPI_Win_free(win, ierr)
  do i = 1, 10
    s = i
    call MPI_Allreduce(s, t, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print *, rank, t
  end do
  call MPI_Finalize(ierr)
end program
