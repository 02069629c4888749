! Bounds that change by other names: by a pointer, in an EQUIVALENCE, by a name of ASSOCIATE, in a COMMON block by a call
! that is given the variable before them; arrays behind the variable that a call is given.
module othernames_data
  use mpi
  implicit none
  type :: sized
    integer :: n = 20000, other(10)
  end type
  integer :: ierr, rank
  integer, target :: by_pointer = 20000
  type(sized) :: x
  real(8) :: of_pointer(20000) = 1, of_member(20000) = 1, of_associate(20000) = 1, of_common(20000) = 1
  real(8) :: of_equal(20000) = 1, copy(20010)
  integer :: by_associate = 20000, first, by_common = 20000
  common /numbers/ first, by_common
  real(8) :: head(10) = 1, sent(20000), head_too(10) = 1, taken(20000)
  common /block/ head, sent
  common /other/ head_too, taken
contains
  subroutine to_hundred(n)
    integer, intent(out) :: n
    n = 100
  end subroutine
end module

subroutine add_up(values, n, total)
  integer, intent(in) :: n
  real(8), intent(in) :: values(n)
  real(8), intent(inout) :: total
  total = total + sum(values)
end subroutine

program othernames
  use othernames_data
  implicit none
  integer, pointer :: p
  integer :: one, by_equal, it, k
  equivalence (one, by_equal)
  real(8) :: s, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  p => by_pointer
  do k = 1, 20000
    of_pointer(k) = rank + k
    of_member(k) = rank + k
    of_associate(k) = rank + k
    of_common(k) = rank + k
    of_equal(k) = rank + k
    sent(k) = rank + k
    taken(k) = rank + k
  end do
  do it = 1, 10
    by_pointer = 20000
    p = 100
    of_pointer(1:by_pointer) = it
    by_equal = 20000
    one = 100
    of_equal(1:by_equal) = it
    by_associate = 20000
    x%n = 20000
    associate (n => by_associate, m => x%n)
      call to_hundred(n)
      call to_hundred(m)
    end associate
    of_associate(1:by_associate) = it
    of_member(1:x%n) = it
    by_common = 20000
    if (rank == 0) by_common = 100
    call MPI_Bcast(first, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    of_common(1:by_common) = it
    s = of_pointer(5000) + of_equal(5000) + of_associate(5000) + of_member(5000) + of_common(5000)
    call MPI_Allreduce(head, copy, 20010, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    s = s + copy(20005)
    call add_up(head_too, 20010, s)
    sent = it
    taken = it
    call MPI_Allreduce(s, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print '(i0,1x,i0,1x,es24.16)', rank, it, all
  end do
  call MPI_Finalize(ierr)
end program
