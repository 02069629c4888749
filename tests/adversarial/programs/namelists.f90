module m_fnml
  use mpi
  implicit none
  integer :: rank, ierr

contains
  subroutine gsum(x)
    integer, intent(in) :: x
    double precision :: a, s
    a = x
    call MPI_Allreduce(a, s, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end subroutine

end module
program p
  use m_fnml
  implicit none
  integer :: i

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call body
  call MPI_Finalize(ierr)
contains
  subroutine body
  integer :: u, n, iu(3)
  real :: a(4)
  character(200) :: buf
  character(20) :: name
  namelist /grp/ n, a
  write(name, "(a,i0)") "nm", rank
  open(newunit=u, file=name, status="replace", delim="apostrophe")
  do i = 1, 12
    n = i; a = i * 0.5
    write(u, nml=grp)
    call gsum(i)
    write(buf, "(3i5)") i, i+1, i+2
    call gsum(i)
    read(buf, *) iu
    print *, rank, iu
  end do
  rewind(u)
  do i = 1, 12
    read(u, nml=grp)
    call gsum(i)
    print *, rank, n, a
  end do
  close(u)
  end subroutine
end program
