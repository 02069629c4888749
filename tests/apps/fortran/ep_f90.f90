! The "embarrassingly parallel" kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007),
! in Fortran 90 with `use mpi`: see ep.c.
!
! A time step is one round: a batch for every rank that has one left.
! Live at its start: the options; rank and number of ranks; the numbers of the repetition and of the round; `own`, this
! repetition's sums and counts so far; `first`, the first repetition's, and how many others differed.
! Not live: `numbers`, filled anew in every round.
program ep_f90
  use mpi
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_size_t
  use app
  use nas_random
  implicit none

  integer, parameter :: batch_pairs = 2**16, annuli = 10
  real(real64), parameter :: tolerance = 1e-8_real64

  type :: problem
    integer :: log_pairs
    real(real64) :: sum_x, sum_y
  end type problem
  type(problem), parameter :: problems(2) = [problem(24, -3.247834652034740e+3_real64, -6.958407078382297e+3_real64), &
                                             problem(25, -2.863319731645753e+3_real64, -6.320053679109499e+3_real64)]

  ! The sums of both deviates, and the counts of the annuli.
  type :: tally
    real(real64) :: sums(2), counts(0:annuli - 1)
  end type tally

  type(options) :: given
  type(problem) :: what
  real(real64) :: numbers(2, batch_pairs)
  integer :: rank, ranks, status, failed

  call parse_options('ep_f90', .true., given)
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, failed)
  if (.not. may_not_work(rank, status)) status = benchmark()
  call MPI_Finalize(failed)
  call exit(status)

contains

  subroutine fill_numbers(batch)
    integer, intent(in) :: batch
    integer(int64) :: state
    integer :: i

    state = skip_random(271828183_int64, 2_int64 * batch_pairs * batch)
    do i = 1, batch_pairs
      numbers(1, i) = next_random(state)
      numbers(2, i) = next_random(state)
    end do
  end subroutine fill_numbers

  ! Adds the deviates that the batch yields.
  subroutine add_deviates(to)
    type(tally), intent(inout) :: to
    real(real64) :: point(2), deviates(2), square
    integer :: i, annulus

    do i = 1, batch_pairs
      point = 2 * numbers(:, i) - 1
      square = sum(point**2)
      if (square > 1) cycle
      deviates = point * sqrt(-2 * log(square) / square)
      annulus = int(maxval(abs(deviates)))
      to%counts(annulus) = to%counts(annulus) + 1
      to%sums = to%sums + deviates
    end do
  end subroutine add_deviates

  ! All batches, the `repetition`-th time. Every rank makes the same number of rounds, even if its last one is idle.
  function run(repetition) result(all)
    integer, intent(in) :: repetition
    type(tally) :: own, all
    integer :: batches, rounds, round, batch

    batches = 2**what%log_pairs / batch_pairs
    rounds = (batches + ranks - 1) / ranks
    own = tally(0, 0)
    do round = 0, rounds - 1
      call hold_here(rank, repetition * rounds + round)
      batch = round * ranks + rank
      if (batch >= batches) cycle
      call fill_numbers(batch)
      call add_deviates(own)
    end do
    call MPI_Allreduce(own%sums, all%sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, failed)
    call MPI_Allreduce(own%counts, all%counts, annuli, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, failed)
  end function run

  integer function benchmark()
    type(tally) :: first, found
    integer :: repetition, different
    real(real64) :: error
    character(len=160) :: reason

    what = problems(index('SW', given%class))
    different = 0
    first = tally(0, 0)
    do repetition = 0, given%times - 1
      found = run(repetition)
      if (repetition == 0) first = found
      if (any(abs(found%sums - first%sums) > 0) .or. any(abs(found%counts - first%counts) > 0)) different = different + 1
    end do
    error = max(abs(first%sums(1) / what%sum_x - 1), abs(first%sums(2) / what%sum_y - 1))
    write (reason, '("the sums are off by ",es10.3," of their values; ",i0," repetitions ended differently")') error, &
      different
    benchmark = tell_result(digest(digest(digest_start, first%sums, 2_c_size_t), first%counts, int(annuli, c_size_t)), &
                            error <= tolerance .and. different == 0, reason)
  end function benchmark

end program ep_f90
