! Pointers that other names lead to the same memory with: it is dead where all ways lead to an overwrite of all that the
! pointer leads to, and nothing is read by any of the names before. Three of them: u, r and part.
module types
  implicit none
  integer, parameter :: n = 1000
  type :: level_type
    real(8), pointer :: residual(:) => null(), correction(:) => null()
  end type
  type :: box_type
    real(8), pointer :: inside(:) => null()
  end type
  real(8) :: seen = 0
contains
  subroutine fill(x, value)
    real(8), intent(inout) :: x(:)
    integer, intent(in) :: value
    integer :: i
    do i = 1, size(x)
      x(i) = value + i
    end do
  end subroutine
  subroutine look(x)
    real(8), intent(in) :: x(:)
    seen = seen + x(11)
  end subroutine
  subroutine look_further(x)
    real(8), intent(in) :: x(:)
    call look(x)
  end subroutine
  subroutine lead(to, target_of)
    real(8), pointer :: to(:)
    real(8), target :: target_of(:)
    to => target_of
  end subroutine
  subroutine copy(to, from)
    type(box_type), intent(out) :: to
    type(box_type), intent(in) :: from
    to = from
  end subroutine
end module

program aliases
  use types
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  type(level_type), allocatable, target :: levels(:), others(:)
  real(8), pointer :: u(:), r(:), part(:)
  real(8), pointer :: read_by_member(:), by_pointer(:), other_pointer(:), by_argument(:), moved(:), sometimes(:), in_loop(:)
  real(8), pointer :: of_box(:), of_function(:), of_c(:), by_host(:), freed(:), late(:)
  real(8), pointer :: by_dummy(:), kept_by_dummy(:), of_copy(:), at_safe_point(:), of_associate(:)
  real(8), target :: whole(2 * n), of_pointers(n), one(n), two(n), in_c(n), in_function(n), overlaid(n), hosted(n), some(n)
  real(8), target :: looked_at(n), dummied(n), lasting(n), associated_with(n)
  real(8), allocatable, target :: block(:)
  type(box_type) :: first, second, third
  real(8) :: v(n), total
  integer :: step, ierr, i
  call mpi_init(ierr)
  allocate (levels(2), others(1))
  do i = 1, 2
    allocate (levels(i)%residual(n), levels(i)%correction(n))
    levels(i)%residual = i; levels(i)%correction = 2 * i
  end do
  allocate (others(1)%residual(n), first%inside(n), block(n))
  others(1)%residual = 3; first%inside = 4; block = 5; whole = 6; of_pointers = 7; one = 8; two = 9; in_c = 10
  in_function = 11; overlaid = 12; hosted = 13; some = 14; looked_at = 15; dummied = 16; lasting = 17; associated_with = 18
  v = 1
  u => levels(2)%correction
  r => levels(2)%residual
  part => whole(1:n)
  read_by_member => others(1)%residual
  by_pointer => of_pointers
  other_pointer => of_pointers
  by_argument => looked_at
  moved => one
  sometimes => some
  in_loop => overlaid
  second = first
  of_box => first%inside
  of_function => in_function
  call c_f_pointer(c_loc(in_c), of_c, [n])
  by_host => hosted
  freed => block
  call lead(by_dummy, dummied)
  kept_by_dummy => dummied
  call copy(third, first)
  of_copy => third%inside
  at_safe_point => lasting
  of_associate => associated_with
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    u = 0
    r = v
    call fill(part, step)
    total = total + whole(n + 1)
    do i = 1, 2
      call fill(levels(i)%residual, step)
      total = total + sum(levels(i)%residual) + sum(levels(i)%correction)
    end do
    ! by another name before
    total = total + others(1)%residual(1)
    read_by_member = step
    total = total + other_pointer(2)
    by_pointer = step
    call look_further(looked_at)
    by_argument = step
    call lead_elsewhere(moved)
    total = total + one(3)
    if (mod(step, 2) == 0) sometimes = step
    total = total + some(4)
    do i = 1, n
      in_loop(i) = overlaid(n + 1 - i) + 1
    end do
    total = total + second%inside(5)
    of_box = step
    total = total + sum(found())
    of_function = step
    total = total + in_c(6)
    of_c = step
    total = total + inner()
    by_host = step
    total = total + kept_by_dummy(7)
    by_dummy = step
    total = total + first%inside(8)
    of_copy = step
    call inner_steps(lasting)
    at_safe_point = step
    call look_by_another_name()
    of_associate = step
    ! whose memory is gone
    if (step == 2) deallocate (block)
    if (step == 2) then
      allocate (late(n))
      late = 19
      freed => late
    end if
    if (step >= 2) total = total + late(10)
    freed = step
  end do
  total = total + sum(u) + sum(r) + sum(part) + sum(one) + sum(two) + sum(overlaid)
  print '(f20.3)', total + seen
  call mpi_finalize(ierr)
contains
  ! The argument is the pointer that is overwritten here by its name.
  subroutine lead_elsewhere(pointer)
    real(8), pointer :: pointer(:)
    pointer => two
    moved = step
    pointer => one
  end subroutine
  function found()
    real(8), pointer :: found(:)
    found => in_function
  end function
  subroutine look_by_another_name()
    associate (x => associated_with)
      total = total + x(9)
    end associate
  end subroutine
  real(8) function inner()
    inner = hosted(12)
  end function
  subroutine inner_steps(x)
    real(8), intent(in) :: x(:)
    integer :: turn
    do turn = 1, 2
      call mpi_barrier(mpi_comm_world, ierr)
      total = total + x(turn)
    end do
  end subroutine
end program
