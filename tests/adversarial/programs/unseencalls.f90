! Arrays that only procedures read which no CALL names: assignments of the program's own in FORALL and WHERE, lengths in a
! BLOCK and in a procedure that a loop calls; and what a datatype with its number displaced leaves out.
module unseencalls_data
  use mpi
  implicit none
  type :: number
    real(8) :: v = 1
  end type
  interface assignment(=)
    module procedure put
  end interface
  type(number) :: x(5), y(5), z(5)
  integer :: ierr, of_length(100, 200) = 1
  real(8) :: of_put(20000), of_block(20000), received(20000), sent(20000) = 1
contains
  elemental subroutine put(one, other)
    type(number), intent(out) :: one
    type(number), intent(in) :: other
    one%v = other%v + sum(of_put)
  end subroutine
  pure integer function length(n)
    integer, intent(in) :: n
    length = mod(int(sum(of_block(1:n))), 1000) + 10
  end function
  subroutine fill(column, it)
    integer, intent(in) :: column, it
    of_length(:, column) = it
  end subroutine
  subroutine look(column, total)
    integer, intent(in) :: column
    real(8), intent(inout) :: total
    character(len=of_length(1, 200)) :: text
    total = total + of_length(3, column) + len(text)
  end subroutine
end module

program unseencalls
  use unseencalls_data
  implicit none
  integer :: rank, it, k, type, displaced
  real(8) :: s, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Type_indexed(1, [1], [1], MPI_DOUBLE_PRECISION, type, ierr)
  call MPI_Type_create_resized(type, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, displaced, ierr)
  call MPI_Type_commit(displaced, ierr)
  do k = 1, 20000
    of_put(k) = rank + k
    of_block(k) = rank + k
    received(k) = rank + k
  end do
  do it = 1, 10
    forall (k = 1:5) y(k) = x(k)
    where (x%v > 0) z = x
    s = y(3)%v + z(2)%v
    block
      character(len=length(20000)) :: text
      s = s + len(text)
    end block
    do k = 1, 200
      call fill(k, it)
      call look(k, s)
    end do
    call MPI_Allgather(sent, 9999, MPI_DOUBLE_PRECISION, received, 9999, displaced, MPI_COMM_WORLD, ierr)
    s = s + received(1) + received(3) + received(15000)
    sent = it
    of_put = it + 0.01d0
    of_block = it + 0.01d0
    call MPI_Allreduce(s, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print '(i0,1x,i0,1x,es24.16)', rank, it, all
  end do
  call MPI_Finalize(ierr)
end program
