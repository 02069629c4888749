! Components that look as if they were overwritten before they are read, and are not: something leads to them in another
! way, or what says where they are changes. Nothing of them may be said to be dead.
module types
  implicit none
  integer, parameter :: n = 1000
  type :: pair
    real(8) :: x(n), y(n)
  end type
  type, extends(pair) :: child
    real(8) :: z(n)
  end type
  type :: blocks
    integer :: count
    real(8), allocatable :: x(:)
    real(8), pointer :: p(:) => null()
  contains
    procedure :: look => look_at_blocks
  end type
  type :: ordered
    sequence
    real(8) :: x(n)
  end type
  type :: preset
    real(8) :: x(n) = 5
  end type
  type :: outer
    type(pair) :: inside
    real(8) :: w(n)
  end type
  real(8) :: seen = 0
contains
  subroutine look_at_pair(it)
    type(pair), intent(in) :: it
    seen = seen + it%x(3) + it%y(4)
  end subroutine
  subroutine look_at_class(it)
    class(pair), intent(in) :: it
    seen = seen + it%x(5)
  end subroutine
  subroutine look_at_blocks(it)
    class(blocks), intent(in) :: it
    seen = seen + it%x(6)
  end subroutine
  subroutine make_smaller(it, m)
    type(blocks), intent(inout) :: it
    integer, intent(in) :: m
    it%count = m
    it%x = it%x(1:m)
  end subroutine
  subroutine make_new(it)
    type(preset), intent(out) :: it
    seen = seen + it%x(7)
  end subroutine
  subroutine remember(it, where)
    real(8), target :: it(:)
    real(8), pointer :: where(:)
    where => it
  end subroutine
end module

program components_kept
  use types
  use mpi
  implicit none
  type(pair) :: passed, as_class, copied, copy, written, associated_with, listed, beyond, sent, late, moved_whole
  type(pair), target :: targeted
  type(pair) :: elements(2)
  type(child) :: extended
  type(blocks) :: bound_to, renewed, given_away, shared, shared_too, counted, counts, smaller
  type(ordered) :: overlaid
  type(preset) :: made
  type(outer) :: nested
  real(8) :: raw(n), words(2 * n), dead(n)
  equivalence (overlaid, raw)
  real(8), pointer :: into(:), to_block(:)
  real(8), allocatable :: taken(:)
  namelist /list/ listed
  real(8) :: total
  integer :: step, ierr, i, unit
  call mpi_init(ierr)
  passed%x = 1; passed%y = 2; as_class%x = 3; copied%x = 4; copied%y = 5; written%x = 6; written%y = 7
  associated_with%x = 8; listed%x = 9; listed%y = 10; beyond%x = 11; beyond%y = 12; sent%x = 13; sent%y = 14
  late%x = 15; late%y = 16; targeted%x = 17; elements(1)%x = 18; elements(2)%x = 19; extended%x = 20
  moved_whole%x = 21; moved_whole%y = 22; raw = 23; nested%inside%x = 24; copy%x = 26; copy%y = 27
  allocate (bound_to%x(n), renewed%x(n), given_away%x(n), shared%x(n), shared%p(n), counted%x(n), smaller%x(n))
  bound_to%x = 1; renewed%x = 2; given_away%x = 3; shared%x = 4; shared%p = 5; counted%x = 6; smaller%x = 7
  shared_too = shared
  counted%count = n; counts%count = n / 2; smaller%count = n
  into => targeted%x
  allocate (counts%p(n))
  counts%p = 8
  call remember(counts%p, to_block)
  open (newunit=unit, status='scratch', form='unformatted')
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    dead = step
    total = total + sum(dead)
    call look_at_pair(passed)
    passed%x = step; passed%y = step
    call look_at_class(as_class)
    as_class%x = step
    copy = copied
    copied%x = step; copied%y = step
    total = total + copy%x(8) + copy%y(9)
    rewind (unit)
    write (unit) written
    written%x = step; written%y = step
    rewind (unit)
    read (unit) words
    total = total + words(10) + words(n + 11)
    call through_another_name()
    associated_with%x = step
    call through_namelist()
    listed%x = step; listed%y = step
    call mpi_bcast(beyond%x, 2 * n, mpi_double_precision, 0, mpi_comm_world, ierr)
    beyond%x = beyond%x + 1
    total = total + beyond%y(13)
    beyond%y = step
    call mpi_allreduce(sent%x, words, 2 * n, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
    sent%y = step
    total = total + words(14) + words(n + 15)
    total = total + into(16)
    targeted%x = step
    total = total + elements(mod(step, 2) + 1)%x(17)
    elements(1)%x = step
    total = total + extended%pair%x(18)
    extended%x = step
    words = transfer(moved_whole, words)
    moved_whole%x = step; moved_whole%y = step
    total = total + words(19) + words(n + 20)
    total = total + raw(21)
    overlaid%x = step
    total = total + nested%inside%x(22)
    nested%inside%x = step
    call bound_to%look()
    bound_to%x = step
    if (step == 2) then
      call move_alloc(renewed%x, taken)
      total = total + taken(24)
      call move_alloc(taken, renewed%x)
    end if
    total = total + renewed%x(25)
    renewed%x(1:n - 1) = step
    call move_alloc(given_away%x, taken)
    total = total + taken(26)
    call move_alloc(taken, given_away%x)
    given_away%x = step
    total = total + shared_too%p(27)
    shared%p = step
    total = total + to_block(28)
    counts%p = step
    if (step == 3) counted = blocks(counts%count, counted%x, null())
    do i = 1, counted%count
      counted%x(i) = step
    end do
    total = total + sum(counted%x)
    if (step == 2) call make_smaller(smaller, n - 10)
    do i = 1, smaller%count
      smaller%x(i) = step
    end do
    total = total + sum(smaller%x)
    total = total + made%x(29)
    made%x = step
    total = total + made%x(30)
    call make_new(made)
    call inner(late)
    late%x = step; late%y = step
  end do
  total = total + late%x(31) + passed%y(32) + copied%y(33) + sent%x(1) + extended%x(2) + sum(bound_to%x)
  print '(f20.3)', total + seen
  call mpi_finalize(ierr)
contains
  ! The same variable by its other name, at a safe point.
  subroutine inner(it)
    type(pair), intent(in) :: it
    integer :: turn
    do turn = 1, 2
      call mpi_barrier(mpi_comm_world, ierr)
      total = total + it%x(turn) + it%y(turn)
    end do
  end subroutine
  subroutine through_another_name()
    associate (x => associated_with%x)
      total = total + x(12)
    end associate
  end subroutine
  subroutine through_namelist()
    character(len=200000), save :: text
    write (text, nml=list)
    seen = seen + index(text, 'LISTED') + len_trim(text)
  end subroutine
end program
