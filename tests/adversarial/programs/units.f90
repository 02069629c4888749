module m_funf
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
  use m_funf
  implicit none
  integer :: i

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call body
  call MPI_Finalize(ierr)
contains
  subroutine body
  integer :: u, v, k, s, s2
  real(8) :: x(1000)
  character(20) :: name
  character(80) :: line
  write(name, "(a,i0)") "un", rank
  open(newunit=u, file=name, form="unformatted", status="replace")
  open(newunit=s, status="scratch")
  open(newunit=s2, file="/usr/include/stdio.h", status="old", action="read")
  do i = 1, 12
    x = i
    write(u) i, x
    write(s, *) i
    call gsum(i)
    backspace(s)
    read(s, *) k
    backspace(u)
    read(u) v, x
    read(s2, "(a)") line
    read(s2, "(a)", advance="no", size=k, end=10, eor=10) line
10  continue
    print *, rank, v, x(500), line(1:10), k
    call gsum(i)
  end do
  close(u)
  end subroutine
end program
