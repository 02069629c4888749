module m_fcbind
  use mpi
  use iso_c_binding
  implicit none
  integer :: rank, ierr
  interface
    subroutine qsort(base, n, s, f) bind(c)
      import
      integer(c_int) :: base(*)
      integer(c_size_t), value :: n, s
      type(c_funptr), value :: f
    end subroutine
    function c_malloc(n) bind(c, name="malloc")
      import
      type(c_ptr) :: c_malloc
      integer(c_size_t), value :: n
    end function
    subroutine c_free(p) bind(c, name="free")
      import
      type(c_ptr), value :: p
    end subroutine
  end interface
contains
  subroutine gsum(x)
    integer, intent(in) :: x
    double precision :: a, s
    a = x
    call MPI_Allreduce(a, s, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end subroutine

  integer(c_int) function cmp(x, y) bind(c)
    integer(c_int), intent(in) :: x, y
    call gsum(1)
    cmp = x - y
  end function
end module
program p
  use m_fcbind
  implicit none
  integer :: i

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call body
  call MPI_Finalize(ierr)
contains
  subroutine body
  type(c_ptr) :: p
  integer(c_int), pointer :: a(:)
  integer(c_int) :: v(5)
  integer :: k
  p = c_malloc(40_c_size_t); call c_f_pointer(p, a, [10]); a = 0
  do i = 1, 12
    v = [5, 3, 9, 1, i]
    call qsort(v, 5_c_size_t, 4_c_size_t, c_funloc(cmp))
    a(mod(i, 10) + 1) = i
    call gsum(i)
    print *, rank, v, sum(a), c_associated(p)
  end do
  call c_free(p)
  end subroutine
end program
