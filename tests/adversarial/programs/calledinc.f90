! Arrays that C reads by their names: at the end, in an operation for MPI; and pointers that are copied where a mask is,
! or as numbers.
module calledinc_data
  use mpi
  implicit none
  type :: way
    real(8), pointer :: p(:) => null()
  end type
  real(8) :: at_end(3000) = 1, in_operation(3000) = 1
  common /ends/ at_end
  common /operates/ in_operation
  real(8), pointer :: where_q(:), transfer_q(:)
  type(way) :: masked(2), copies(2), one, back
  integer(8) :: words(100)
end module

program calledinc
  use calledinc_data
  implicit none
  external ask, operation
  integer :: ierr, rank, it, k, op
  real(8) :: s, all
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call ask()
  call operation(op)
  allocate (where_q(3000), transfer_q(3000))
  copies(1)%p => where_q
  copies(2)%p => where_q
  where ([.true., .true.]) masked = copies
  one%p => transfer_q
  words(1:size(transfer(one, [0_8]))) = transfer(one, [0_8])
  back = transfer(words, one)
  do k = 1, 3000
    at_end(k) = rank + k
    in_operation(k) = rank + k
    where_q(k) = rank + k
    transfer_q(k) = rank + k
  end do
  do it = 1, 10
    s = sum(masked(1)%p) + sum(back%p)
    where_q = it
    transfer_q = it
    call MPI_Allreduce(s, all, 1, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    in_operation = it
    print '(i0,1x,i0,1x,es24.16)', rank, it, all
  end do
  call MPI_Finalize(ierr)
end program
