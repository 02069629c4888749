! FLAGS -O2 -fallow-argument-mismatch
! What MPI and procedures take of an array beyond the element that they are given, or of a component into the next one;
! arrays of other types of elements; and MPI_IN_PLACE by a procedure that only a pointer names.
module buffersofelements_data
  use mpi
  implicit none
  type :: message
    real(8) :: head = 1
    real(8) :: body(3000) = 1
  end type
  type(message) :: x
  integer :: ierr, rank
  real(8) :: reduced(3000) = 1, total(3001) = 0, placed(6000) = 1
  complex(8) :: b(100, 30) = 1
  integer(16) :: n16 = 3000
  real(8) :: of_large(3000) = 1
  abstract interface
    subroutine exchange(buffer)
      integer :: buffer
    end subroutine
  end interface
  procedure(exchange), pointer :: by_pointer => null()
contains
  subroutine gather(buffer)
    integer :: buffer
    call MPI_Allgather(buffer, 3000, MPI_DOUBLE_PRECISION, placed, 3000, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  end subroutine
end module

subroutine halves(column)
  real(8), intent(out) :: column(100)
  column = 1
end subroutine

program buffersofelements
  use buffersofelements_data
  implicit none
  external halves
  integer :: it, k
  real(8) :: s, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  by_pointer => gather
  do k = 1, 3000
    reduced(k) = rank + k
    x%body(k) = rank + k
    placed(k) = rank + k
    placed(3000 + k) = rank - k
    of_large(k) = rank + k
  end do
  do it = 1, 10
    call MPI_Allreduce(reduced(1), total, 3000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    s = sum(total)
    reduced(2:3000) = it
    call MPI_Allreduce(x%head, total, 3001, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    s = s + sum(total)
    x%body = it
    do k = 1, 30
      call halves(b(1, k))
    end do
    s = s + sum(real(b)) + 2 * sum(aimag(b))
    b(51:, :) = it
    call by_pointer(MPI_IN_PLACE)
    s = s + sum(placed)
    placed = placed / 2 + it
    n16 = 3000
    if (mod(it, 2) == 0) n16 = 300
    of_large(1:n16) = it
    s = s + sum(of_large)
    call MPI_Allreduce(s, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print '(i0,1x,i0,1x,es24.16)', rank, it, all
  end do
  call MPI_Finalize(ierr)
end program
