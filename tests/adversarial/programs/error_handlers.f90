! Error handlers that are procedures in Fortran: of a communicator, of a window, of a file, and by the name of MPI 1.
module handlers
  use mpi
  implicit none
  integer :: of_comm = 0, of_window = 0, of_file = 0, of_old = 0, wrong = 0
  integer :: duplicate, window, file
contains
  subroutine comm_failed(comm, code)
    integer :: comm, code
    of_comm = of_comm + 1
    if (comm /= duplicate .or. code == MPI_SUCCESS) wrong = wrong + 1
  end subroutine
  subroutine window_failed(win, code)
    integer :: win, code
    of_window = of_window + 1
    if (win /= window .or. code == MPI_SUCCESS) wrong = wrong + 1
  end subroutine
  subroutine file_failed(fh, code)
    integer :: fh, code
    of_file = of_file + 1
    if (fh /= file .or. code == MPI_SUCCESS) wrong = wrong + 1
  end subroutine
  subroutine old_failed(comm, code)
    integer :: comm, code
    of_old = of_old + 1
    if (comm /= MPI_COMM_SELF .or. code == MPI_SUCCESS) wrong = wrong + 1
  end subroutine
end module

program p
  use handlers
  implicit none
  external :: MPI_Errhandler_create, MPI_Errhandler_set
  integer :: rank, ierr, i, comm_handler, window_handler, file_handler, old_handler, got
  integer(MPI_ADDRESS_KIND) :: bytes
  double precision :: memory(10), a, s
  character(len=40) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, duplicate, ierr)
  bytes = 80
  call MPI_Win_create(memory, bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  write (name, '(a,i0)') 'error_handlers.', rank
  call MPI_File_open(MPI_COMM_SELF, name, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file, ierr)
  call MPI_Comm_create_errhandler(comm_failed, comm_handler, ierr)
  call MPI_Win_create_errhandler(window_failed, window_handler, ierr)
  call MPI_File_create_errhandler(file_failed, file_handler, ierr)
  call MPI_Errhandler_create(old_failed, old_handler, ierr)
  call MPI_Comm_set_errhandler(duplicate, comm_handler, ierr)
  call MPI_Win_set_errhandler(window, window_handler, ierr)
  call MPI_File_set_errhandler(file, file_handler, ierr)
  call MPI_Errhandler_set(MPI_COMM_SELF, old_handler, ierr)
  call MPI_Errhandler_free(file_handler, ierr)
  do i = 1, 12
    call MPI_Comm_call_errhandler(duplicate, MPI_ERR_OTHER, ierr)
    call MPI_Send(a, 1, MPI_DOUBLE_PRECISION, 1000, 1, duplicate, ierr)
    call MPI_Win_call_errhandler(window, MPI_ERR_OTHER, ierr)
    call MPI_File_call_errhandler(file, MPI_ERR_OTHER, ierr)
    call MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER, ierr)
    call MPI_Comm_get_errhandler(duplicate, got, ierr)
    if (got /= comm_handler) wrong = wrong + 1
    call MPI_Errhandler_free(got, ierr)
    a = i
    call MPI_Allreduce(a, s, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print *, rank, of_comm, of_window, of_file, of_old, wrong
  end do
  call MPI_File_close(file, ierr)
  call MPI_Win_free(window, ierr)
  call MPI_Finalize(ierr)
end program
