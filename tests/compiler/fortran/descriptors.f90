! Allocatable arrays and pointers, in modules, in the program and in variables of derived type: their blocks are dead
! when all of them is overwritten before it is read, or nobody reads it any more.
module state
  implicit none
  integer, parameter :: n = 1000
  real(8), allocatable :: in_module(:)
  type :: fields
    integer :: rows, columns
    real(8), allocatable :: work(:, :), partly(:, :), grown(:)
    complex(8), pointer :: target_of_none(:, :, :) => null()
    real(8), pointer :: pointed(:) => null()
  end type
  type(fields) :: own
contains
  subroutine fill(x, value)  ! any shape
    real(8), intent(out) :: x(0:, :)
    integer, intent(in) :: value
    integer :: i, j
    do j = 1, size(x, 2)
      do i = 0, size(x, 1) - 1
        x(i, j) = value + i
      end do
    end do
  end subroutine
  subroutine fill_sections(x, parts, width)
    complex(8), intent(inout) :: x(:, :, :)
    integer, intent(in) :: parts, width
    integer :: part
    do part = 1, parts
      x(:, (part - 1) * width + 1:part * width, :) = part
    end do
  end subroutine
  subroutine allocate_anew(x, m)
    real(8), allocatable, intent(inout) :: x(:)
    integer, intent(in) :: m
    if (allocated(x)) then
      if (size(x) /= m) x = [x, real(m, 8)]
    end if
  end subroutine
  subroutine remember(x, where)
    real(8), target :: x(:)
    real(8), pointer :: where(:)
    where => x
  end subroutine
end module

program descriptors
  use state
  use mpi
  implicit none
  type(fields) :: mine, copied, other
  real(8), allocatable :: whole(:), read_first(:), with_target(:), absent(:), given(:, :), shrinking(:)
  target :: with_target
  real(8), pointer :: alias(:), kept(:)
  real(8) :: total
  integer :: step, ierr, i
  call mpi_init(ierr)
  allocate (in_module(n), whole(n), read_first(n), with_target(n), given(0:9, 100), shrinking(n))
  alias => with_target
  allocate (mine%work(20, 50), mine%partly(20, 50), mine%grown(10), mine%target_of_none(5, 8, 5), mine%pointed(n))
  call remember(mine%pointed, kept)
  in_module = 1; whole = 2; read_first = 3; with_target = 4; given = 5; shrinking = 6
  mine%work = 7; mine%partly = 8; mine%grown = 9; mine%target_of_none = 10; mine%pointed = 11
  mine%rows = 20
  mine%columns = 50
  allocate (copied%work(10, 10))
  copied%work = 12
  other = copied
  total = 0
  call steps()
  print '(f20.3)', total
  deallocate (mine%target_of_none, mine%pointed)
  call mpi_finalize(ierr)
contains
  subroutine steps()
    real(8), allocatable :: local(:)
    allocate (local(n))
    local = 13
    do step = 1, 4
      call mpi_barrier(mpi_comm_world, ierr)
      in_module = step
      whole = in_module + 1
      local(:) = step
      total = total + sum(read_first) + sum(alias) + sum(kept) + sum(mine%grown)
      read_first = step
      with_target = step
      mine%pointed = step
      do i = 1, mine%columns
        mine%work(:, i) = step
        mine%partly(1:mine%rows - 1, i) = step
      end do
      call fill(given, step)
      call fill_sections(mine%target_of_none, 4, 2)
      call allocate_anew(mine%grown, 10 + step)
      mine%grown = mine%grown + step
      if (allocated(absent)) absent = step
      total = total + sum(whole) + sum(local) + sum(mine%work) + sum(mine%partly) + sum(given) + sum(other%work)
      total = total + real(sum(mine%target_of_none), 8) + sum(shrinking)
      shrinking = shrinking(1:n - step)
      copied%work = step
      other = copied
    end do
  end subroutine
end program
