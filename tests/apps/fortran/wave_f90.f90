! A wave on a ring of points, of as many bytes as one likes, cut among the ranks: see cpp/wave.cpp. Three allocatable
! arrays take turns.
program wave_f90
  use mpi
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_int, c_null_char, c_size_t
  use app
  implicit none

  interface
    function c_usleep(microseconds) bind(c, name='usleep')
      import :: c_int
      integer(c_int), value :: microseconds
      integer(c_int) :: c_usleep
    end function c_usleep
  end interface

  type(options) :: given
  real(real64), allocatable :: before(:), now(:), next(:)
  integer(int64) :: points
  integer :: rank, ranks, status, ierr

  given%times = 300
  given%megabytes = 1
  call parse_options('wave_f90', .false., given)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (.not. may_not_work(rank, status)) status = travel()
  call MPI_Finalize(ierr)
  call exit(status)

contains

  ! The first value of the own point i, or of one `offset` points farther.
  pure function first(i, offset) result(value)
    integer(int64), intent(in) :: i, offset
    real(real64) :: value
    integer(int64) :: place

    place = modulo(rank * points + i + offset, points * ranks)
    value = real(mod(place * 37 + place / 7, 101_int64) - 50, real64)
  end function first

  subroutine exchange()
    integer :: left, right

    left = mod(rank + ranks - 1, ranks)
    right = mod(rank + 1, ranks)
    call MPI_Sendrecv(now(1), 1, MPI_DOUBLE_PRECISION, left, 1, now(points + 1), 1, MPI_DOUBLE_PRECISION, right, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(now(points), 1, MPI_DOUBLE_PRECISION, right, 2, now(0), 1, MPI_DOUBLE_PRECISION, left, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end subroutine exchange

  subroutine step()
    real(real64), allocatable :: oldest(:)

    call exchange()
    next(1:points) = now(0:points - 1) + now(2:points + 1) - before(1:points)
    call move_alloc(before, oldest)
    call move_alloc(now, before)
    call move_alloc(next, now)
    call move_alloc(oldest, next)
  end subroutine step

  ! The same on all ranks.
  logical function is_over(steps)
    integer, intent(in) :: steps

    is_over = steps >= given%times
    if (given%until /= ' ') then
      is_over = .false.
      if (rank == 0) inquire (file=given%until(:index(given%until, c_null_char) - 1), exist=is_over)
    end if
    call MPI_Bcast(is_over, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, ierr)
  end function is_over

  integer function travel()
    integer :: steps, wrong, total, failed
    integer(int64) :: i
    character(len=80) :: reason

    points = given%megabytes * 1000000_int64 / 24
    allocate (before(0:points + 1), now(0:points + 1), next(0:points + 1))
    do i = 1, points
      before(i) = first(i, 1_int64)
      now(i) = first(i, 0_int64)
    end do
    next = 0
    steps = 0
    do while (.not. is_over(steps))
      call hold_here(rank, steps)
      call step()
      steps = steps + 1
      if (given%pause_us > 0) failed = c_usleep(int(given%pause_us, c_int))
    end do
    wrong = 0
    do i = 1, points
      if (abs(now(i) - first(i, -int(steps, int64))) > 0) wrong = wrong + 1
    end do
    call MPI_Allreduce(wrong, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    write (reason, '(i0,a)') total, ' points are wrong'
    travel = tell_result(digest_of_ranks(digest(digest_start, now(1:points), int(points, c_size_t)), MPI_COMM_WORLD), &
                         total == 0, reason)
  end function travel

end program wave_f90
