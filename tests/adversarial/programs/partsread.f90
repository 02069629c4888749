! Arrays that only subscripts, bounds and lengths read: of parts of complex numbers and of texts on the left side, of
! inquiries, of procedures in components, of pointers' bounds, of lengths of texts; and a function on the left side.
module partsread_data
  use mpi
  implicit none
  type :: holder
    real(8), allocatable :: x(:)
    procedure(one), nopass, pointer :: p => null()
  end type
  integer :: ierr, of_part(20000) = 1, of_text(20000) = 1, of_size(20000) = 1, of_call(20000) = 1
  real(8) :: of_bound(20000) = 1, of_length(20000) = 1, of_place(20000) = 1
  real(8), target :: place_1(10) = 0, place_2(10) = 0
contains
  subroutine one(value)
    real(8), intent(out) :: value
    value = 1
  end subroutine
  subroutine two(value)
    real(8), intent(out) :: value
    value = 2
  end subroutine
  pure integer function looked(values)
    real(8), intent(in) :: values(20000)
    looked = 1 + mod(int(values(5)), 7)
  end function
  subroutine texts(total)
    real(8), intent(inout) :: total
    character(len=looked(of_length)) :: text
    text = 'abcdefgh'
    total = total + len(text)
  end subroutine
  function place() result(p)
    real(8), pointer :: p
    p => place_1(1)
    if (mod(int(of_place(9)), 2) == 0) p => place_2(1)
  end function
end module

program partsread
  use partsread_data
  implicit none
  complex(8) :: z(1000) = 0
  character(1000) :: text = ' '
  type(holder) :: v(10)
  real(8), pointer :: p(:)
  real(8), target :: c(10) = 1
  integer :: rank, it, k
  real(8) :: s, t, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  do k = 1, 10
    allocate (v(k)%x(k))
    v(k)%p => one
    if (mod(k, 2) == 0) v(k)%p => two
  end do
  of_part = [(mod(k * 7, 1000) + 1, k = 1, 20000)]
  of_text = of_part
  of_size = rank + 3
  do it = 1, 10
    do k = 1, 1000
      z(of_part(k))%re = k * it
    end do
    do k = 1, 1000
      text(of_text(k):of_text(k)) = achar(65 + mod(k + it, 20))
    end do
    s = size(v(of_size(3))%x)
    call v(of_call(3))%p(t)
    p(looked(of_bound):) => c
    s = s + t + lbound(p, 1)
    call texts(s)
    place() = it
    s = s + sum(place_1) + 2 * sum(place_2)
    do k = 1, 1000
      s = s + real(z(k)) * k + iachar(text(k:k)) * k
    end do
    of_part = [(mod(k * 7 + it, 1000) + 1, k = 1, 20000)]
    of_text = [(mod(k * 3 + it, 1000) + 1, k = 1, 20000)]
    of_size = mod(it, 9) + 1
    of_call = mod(it, 9) + 1
    of_bound = it
    of_length = it
    of_place = it
    call MPI_Allreduce(s, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print '(i0,1x,i0,1x,es24.16)', rank, it, all
  end do
  call MPI_Finalize(ierr)
end program
