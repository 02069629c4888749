! The multigrid kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007), in Fortran 90
! with mpif.h: see mg.c. The levels are an array of a derived type with pointers; an unformatted file gets the norm of
! the residual in each iteration, and is read again in the end.
!
! A time step is one iteration. Live at its start: the options; the process's place; the levels' sizes and descriptors;
! u, which is the correction on the finest level, and v; the numbers of the repetition and of the iteration; the first
! norm and how many others differed; the unit.
! Not live: r, filled anew in each iteration; residuals and corrections of the coarse levels.
program mg_f90
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_size_t
  use app
  use mg_blocks
  use nas_random
  implicit none
  include 'mpif.h'

  integer, parameter :: charges = 10, iterations = 4

  type :: level_type
    integer :: n(3)
    real(real64), pointer, contiguous :: residual(:, :, :) => null(), correction(:, :, :) => null()
  end type level_type

  ! Weights of a point, of its neighbours by faces, edges and corners.
  type :: stencil
    real(real64) :: weights(0:3)
  end type stencil
  type(stencil), parameter :: minus_operator = stencil([8 / 3.0_real64, 0.0_real64, -1 / 6.0_real64, -1 / 12.0_real64])
  type(stencil), parameter :: smoother = stencil([-3 / 8.0_real64, 1 / 32.0_real64, -1 / 64.0_real64, 0.0_real64])
  type(stencil), parameter :: averaging = stencil([0.5_real64, 0.25_real64, 0.125_real64, 0.0625_real64])

  type(options) :: given
  type(level_type), allocatable, target :: levels(:)
  real(real64), allocatable :: v(:, :, :)
  real(real64), pointer, contiguous :: u(:, :, :), r(:, :, :)
  integer :: finest, status, failed, norm_unit

  call parse_options('mg_f90', .true., given)
  call MPI_Init(failed)
  call make_place()
  if (.not. may_not_work(place%rank, status)) then
    if (place%ranks > 8 .or. iand(place%ranks, place%ranks - 1) /= 0) error stop 'the ranks are not 1, 2, 4 or 8'
    status = benchmark()
  end if
  call MPI_Comm_free(place%cube, failed)
  call MPI_Finalize(failed)
  call exit(status)

contains

  subroutine make_levels()
    integer :: k, n(3)

    allocate (levels(finest))
    do k = 1, finest
      n = block_size(k)
      levels(k)%n = n
      allocate (levels(k)%residual(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1), &
                levels(k)%correction(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1))
    end do
    u => levels(finest)%correction
    r => levels(finest)%residual
    n = levels(finest)%n
    allocate (v(0:n(1) + 1, 0:n(2) + 1, 0:n(3) + 1), source=0.0_real64)
  end subroutine make_levels

  ! The stencil's value at a point, by the distance of its neighbours.
  pure function weigh(weights, at) result(value)
    type(stencil), intent(in) :: weights
    real(real64), intent(in) :: at(-1:1, -1:1, -1:1)
    real(real64) :: value, sums(0:3)
    integer :: x, y, z, distance

    sums = 0
    do z = -1, 1
      do y = -1, 1
        do x = -1, 1
          distance = abs(x) + abs(y) + abs(z)
          sums(distance) = sums(distance) + at(x, y, z)
        end do
      end do
    end do
    value = sum(weights%weights * sums)
  end function weigh

  subroutine add_stencil(weights, from, to)
    type(stencil), intent(in) :: weights
    real(real64), intent(in) :: from(0:, 0:, 0:)
    real(real64), intent(inout) :: to(0:, 0:, 0:)
    integer :: x, y, z

    do z = 1, ubound(to, 3) - 1
      do y = 1, ubound(to, 2) - 1
        do x = 1, ubound(to, 1) - 1
          to(x, y, z) = to(x, y, z) + weigh(weights, from(x - 1:x + 1, y - 1:y + 1, z - 1:z + 1))
        end do
      end do
    end do
    call exchange(to)
  end subroutine add_stencil

  subroutine coarsen(fine, coarse)
    real(real64), intent(in) :: fine(0:, 0:, 0:)
    real(real64), intent(inout) :: coarse(0:, 0:, 0:)
    integer :: x, y, z

    do z = 1, ubound(coarse, 3) - 1
      do y = 1, ubound(coarse, 2) - 1
        do x = 1, ubound(coarse, 1) - 1
          coarse(x, y, z) = weigh(averaging, fine(2 * x - 1:2 * x + 1, 2 * y - 1:2 * y + 1, 2 * z - 1:2 * z + 1))
        end do
      end do
    end do
    call exchange(coarse)
  end subroutine coarsen

  ! Points with even numbers are in both.
  subroutine add_interpolated(coarse, fine)
    real(real64), intent(in) :: coarse(0:, 0:, 0:)
    real(real64), intent(inout) :: fine(0:, 0:, 0:)
    integer :: x, y, z

    do z = 1, ubound(fine, 3) - 1
      do y = 1, ubound(fine, 2) - 1
        do x = 1, ubound(fine, 1) - 1
          fine(x, y, z) = fine(x, y, z) + &
            sum(coarse(x / 2:(x + 1) / 2, y / 2:(y + 1) / 2, z / 2:(z + 1) / 2)) / &
            (2**mod(x, 2) * 2**mod(y, 2) * 2**mod(z, 2))
        end do
      end do
    end do
    call exchange(fine)
  end subroutine add_interpolated

  ! r = v - A u on the finest level.
  subroutine compute_residual()
    r = v
    call subtract_operator(u, r)
  end subroutine compute_residual

  subroutine subtract_operator(from, to)
    real(real64), intent(in) :: from(0:, 0:, 0:)
    real(real64), intent(inout) :: to(0:, 0:, 0:)
    call add_stencil(minus_operator, from, to)
  end subroutine subtract_operator

  subroutine cycle_once()
    integer :: k

    do k = finest - 1, 1, -1
      call coarsen(levels(k + 1)%residual, levels(k)%residual)
    end do
    do k = 1, finest - 1
      levels(k)%correction = 0
      if (k > 1) then
        call add_interpolated(levels(k - 1)%correction, levels(k)%correction)
        call subtract_operator(levels(k)%correction, levels(k)%residual)
      end if
      call add_stencil(smoother, levels(k)%residual, levels(k)%correction)
    end do
    call add_interpolated(levels(finest - 1)%correction, u)
    call compute_residual()
    call add_stencil(smoother, r, u)
  end subroutine cycle_once

  ! The places of the largest random numbers of the cube get a charge, those of the smallest the opposite one.
  subroutine make_charges()
    integer(int64) :: state, side, first
    integer :: x, y, z, n(3)
    real(real64), allocatable :: random(:, :, :)

    n = levels(finest)%n
    side = 2**finest
    allocate (random(n(1), n(2), n(3)))
    do z = 1, n(3)
      do y = 1, n(2)
        first = ((place%position(3) * n(3) + z - 1) * side + place%position(2) * n(2) + y - 1) * side &
                + place%position(1) * n(1)
        state = skip_random(314159265_int64, first)
        do x = 1, n(1)
          random(x, y, z) = next_random(state)
        end do
      end do
    end do
    call charge(random, 1.0_real64)
    call charge(-random, -1.0_real64)
    call exchange(v)
  end subroutine make_charges

  ! One after the other, the largest one of all ranks.
  subroutine charge(random, value)
    real(real64), intent(in) :: random(:, :, :)
    real(real64), intent(in) :: value
    logical :: open(size(random, 1), size(random, 2), size(random, 3))
    real(real64) :: own(2), best(2)
    integer :: i, at(3)

    open = .true.
    do i = 1, charges
      at = maxloc(random, open)
      own = [random(at(1), at(2), at(3)), real(place%rank, real64)]
      call MPI_Allreduce(own, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, place%cube, failed)
      if (nint(best(2)) /= place%rank) cycle
      v(at(1), at(2), at(3)) = value
      open(at(1), at(2), at(3)) = .false.
    end do
  end subroutine charge

  function residual_norm() result(norm)
    real(real64) :: own(1), all(1), norm
    integer :: n(3)

    call compute_residual()
    n = levels(finest)%n
    own(1) = sum(r(1:n(1), 1:n(2), 1:n(3))**2)
    call MPI_Allreduce(own, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, place%cube, failed)
    norm = sqrt(all(1) * 0.125_real64**finest)
  end function residual_norm

  function run(repetition) result(norm)
    integer, intent(in) :: repetition
    real(real64) :: norm
    integer :: iteration

    u = 0
    norm = 0
    do iteration = 1, iterations
      call hold_here(place%rank, repetition * iterations + iteration - 1)
      call compute_residual()
      call cycle_once()
      norm = residual_norm()
      write (norm_unit) repetition, iteration, norm
    end do
  end function run

  ! How many records are wrong.
  integer function wrong_records(norm)
    real(real64), intent(in) :: norm
    integer :: repetition, iteration, found(2), ended
    real(real64) :: last

    wrong_records = 0
    last = 0
    rewind (norm_unit)
    do repetition = 0, given%times - 1
      do iteration = 1, iterations
        read (norm_unit, iostat=ended) found, last
        if (ended /= 0 .or. any(found /= [repetition, iteration])) wrong_records = wrong_records + 1
      end do
      if (abs(last - norm) > 0) wrong_records = wrong_records + 1
    end do
    close (norm_unit, status='delete')
  end function wrong_records

  integer function benchmark()
    real(real64) :: norm, found, expected
    real(real64) :: wrong(1), all(1)
    integer :: repetition
    character(len=160) :: reason

    finest = merge(5, 7, given%class == 'S')
    expected = merge(0.5307707005734e-04_real64, 0.6467329375339e-05_real64, given%class == 'S')
    open (newunit=norm_unit, file=temporary_file(place%rank, '.norms'), form='unformatted', status='replace', action='readwrite')
    call make_levels()
    call make_charges()
    wrong = 0
    norm = 0
    do repetition = 0, given%times - 1
      found = run(repetition)
      if (repetition == 0) norm = found
      if (abs(found - norm) > 0) wrong = wrong + 1
    end do
    wrong = wrong + wrong_records(norm)
    call MPI_Allreduce(wrong, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, place%cube, failed)
    write (reason, '("the norm is ",es20.13,", it has to be ",es20.13,"; ",i0," repetitions or records are wrong")') &
      norm, expected, nint(all)
    benchmark = tell_result(digest_of_ranks(digest(digest_start, u, size(u, kind=c_size_t)), place%cube), &
                            abs(norm / expected - 1) <= 1e-8_real64 .and. nint(all(1)) == 0, reason)
  end function benchmark

end program mg_f90
