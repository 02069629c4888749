! As unmarked.c, in Fortran: linked with libcppc, but not by a wrapper, so it has no safe point. Works until the file
! FILE is there. Usage: unmarked_f90 FILE
program unmarked_f90
  use mpi
  implicit none
  character(len=4096) :: file
  integer :: error, rank
  logical :: over
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call get_command_argument(1, file)
  over = .false.
  do while (.not. over)
    call sleep_a_little
    if (rank == 0) inquire(file=trim(file), exist=over)
    call MPI_Bcast(over, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, error)
  end do
  call MPI_Finalize(error)
contains
  subroutine sleep_a_little
    use iso_c_binding
    interface
      integer(c_int) function usleep(microseconds) bind(c)
        import :: c_int
        integer(c_int), value :: microseconds
      end function usleep
    end interface
    integer(c_int) :: ignored
    ignored = usleep(1000_c_int)
  end subroutine sleep_a_little
end program unmarked_f90
