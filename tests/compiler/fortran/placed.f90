! Components of variables of modules: they are where the compiler has put them, between others of all kinds.
module placing
  implicit none
  integer, parameter :: n = 1001
  type :: other
    real(8) :: x
  end type other
  type :: fields
    character(len=3) :: name
    integer(1) :: small
    real(8) :: first(n)
    logical(2) :: flag
    complex(4) :: pair(n)
    character(len=5) :: names(3)
    real(16) :: wide(n)
    integer(1) :: tiny(5)
    real(8), allocatable :: grown(:), table(:, :)
    integer, pointer :: number => null()
    real(4), allocatable :: cube(:, :, :)
    real(8), allocatable :: alone
    integer(2) :: count
    integer(8) :: last(n), kept(n)
    type(other) :: inner
    real(8) :: behind(n)
  end type fields
  type(fields), save :: all
contains
  subroutine prepare()
    all%name = 'abc'
    all%names = 'names'
    all%small = 7
    all%tiny = 3
    all%flag = .true.
    all%count = 2
    allocate (all%grown(n), all%table(n, 2), all%cube(n, 2, 3), all%alone, all%number)
    all%alone = 0.5d0
    all%number = 11
    all%kept = 4
    all%inner%x = 1
    all%behind = 2
    all%first = 1; all%pair = 1; all%wide = 1; all%grown = 1; all%table = 1; all%cube = 1; all%last = 1
  end subroutine prepare
  subroutine overwrite(step)
    integer, intent(in) :: step
    integer :: i
    do i = 1, n
      all%first(i) = step + i
      all%last(i) = step - i
    end do
    all%pair = step
    all%wide = step + 1
    all%grown = 2 * step
    all%table = 3 * step
    all%cube = 4 * step
    all%kept(step) = step
    all%behind(step) = step
  end subroutine overwrite
end module placing

program placed
  use mpi
  use placing
  implicit none
  real(8) :: total
  integer :: error, step
  call mpi_init(error)
  call prepare()
  total = 0
  do step = 1, 8
    call mpi_barrier(mpi_comm_world, error)
    call overwrite(step)
    total = total + sum(all%first) + sum(real(all%pair)) + real(sum(all%wide), 8) + sum(all%grown) + sum(all%table)
    total = total + sum(all%cube) + sum(all%last) + sum(all%kept) + sum(all%behind) + all%inner%x
    total = total + all%small + sum(all%tiny) + all%count + all%number + all%alone
  end do
  print *, total, all%name, all%names, all%flag
  call mpi_finalize(error)
end program placed
