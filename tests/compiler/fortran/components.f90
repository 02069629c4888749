! Components of variables of derived type, of fixed shape, allocatable and pointers: each is dead by itself when all of it
! is overwritten before it is read, or nobody reads it any more.
module types
  implicit none
  integer, parameter :: n = 1000
  type :: fields
    integer :: count, width
    real(8) :: work(n), table(20, 50), unread(n), kept(n)
    real(8), allocatable :: grown(:), rows(:, :)
    real(8), pointer :: pointed(:) => null()
    character(len=8) :: name
  end type
  type :: buffers
    real(8) :: received(n)
  end type
contains
  subroutine fill(x, value)
    real(8) :: x(n)
    integer :: value, i
    do i = 1, n
      x(i) = value + i
    end do
  end subroutine
  subroutine fill_column(x, value)
    real(8) :: x(20)
    integer :: value
    x = value
  end subroutine
  subroutine fill_any(x, value)
    real(8), intent(out) :: x(:, :)
    integer, intent(in) :: value
    x = value
  end subroutine
end module

program components
  use types
  use mpi
  implicit none
  type(fields) :: own
  type(buffers) :: in, out
  real(8) :: total
  integer :: step, ierr
  call mpi_init(ierr)
  own%work = 1; own%table = 2; own%unread = 3; own%kept = 4
  own%count = n
  own%width = 50
  own%name = 'name'
  allocate (own%grown(n), own%rows(10, own%width * 2), own%pointed(n))
  own%grown = sum(own%unread); own%rows = 5; own%pointed = 6
  out%received = 7; in%received = 8
  total = 0
  call steps()
  print '(f20.3,1x,a)', total, own%name
  deallocate (own%pointed)
  call mpi_finalize(ierr)
contains
  subroutine steps()
    type(fields), save :: saved
    type(fields) :: local
    integer :: i
    saved%kept = 9
    do step = 1, 4
      call mpi_barrier(mpi_comm_world, ierr)
      total = total + own%kept(step)
      own%kept(step) = step
      do i = 1, own%count
        own%work(i) = step + i
      end do
      do i = 1, own%width
        call fill_column(own%table(1, i), step)
      end do
      call fill(own%grown, step)
      call fill_any(own%rows, step)
      own%pointed = step
      call fill(saved%work, step)
      local%work = step
      call mpi_alltoall(out%received, n, mpi_double_precision, in%received, n, mpi_double_precision, mpi_comm_world, ierr)
      out%received = step
      total = total + sum(own%work) + sum(own%table) + sum(own%grown) + sum(own%rows) + sum(own%pointed) + &
        sum(saved%work) + sum(saved%kept) + sum(local%work) + sum(in%received)
    end do
  end subroutine
end program
