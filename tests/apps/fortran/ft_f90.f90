! The Fourier transform kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007), in
! Fortran 2008 with `use mpi_f08`: see ft.c. Fields are components of a derived type; a file with direct access keeps
! the checksums, of which each step reads the one before.
!
! Live at the start of a time step: the options; the problem's sizes, rank and number of ranks; own%spectrum; the roots of
! one; the numbers of the repetition and of the step; the checksums of this repetition so far, the first repetition's and
! the step's before; how many were wrong; the unit.
! Not live: own%damped and own%real_space, overwritten in each step; what exists within a transposition only.
program ft_f90
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_size_t
  use app
  use ft_lines
  use nas_random
  implicit none

  integer, parameter :: steps = 6
  real(real64), parameter :: alpha = 1e-6_real64, pi = 3.141592653589793_real64

  type :: problem
    integer :: x, y, z
    complex(real64) :: checksums(steps)
  end type problem

  ! Real space: (x, y, own z). Fourier space: (z, x, own y).
  type :: fields
    complex(real64), allocatable :: spectrum(:, :, :), damped(:, :, :)
    complex(real64), pointer :: real_space(:, :, :) => null()
  end type fields

  type(problem), parameter :: small = problem(64, 64, 64, [ &
    (554.6087004964_real64, 484.5363331978_real64), (554.6385409189_real64, 486.5304269511_real64), &
    (554.6148406171_real64, 488.3910722336_real64), (554.5423607415_real64, 490.1273169046_real64), &
    (554.4255039624_real64, 491.7475857993_real64), (554.2683411902_real64, 493.2597244941_real64)])
  type(problem), parameter :: larger = problem(128, 128, 32, [ &
    (567.3612178944_real64, 529.3246849175_real64), (563.1436885271_real64, 528.2149986629_real64), &
    (559.4024089970_real64, 527.0996558037_real64), (556.0698047020_real64, 526.0027904925_real64), &
    (553.0898991250_real64, 524.9400845633_real64), (550.4159734538_real64, 523.9212247086_real64)])

  type(options) :: given
  type(problem) :: what
  type(fields) :: own
  type(MPI_Comm) :: world
  integer :: rank, ranks, own_y, own_z, status, record_unit, wrong_records

  call parse_options('ft_f90', .true., given)
  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, world)
  call MPI_Comm_rank(world, rank)
  call MPI_Comm_size(world, ranks)
  if (.not. may_not_work(rank, status)) status = benchmark()
  call MPI_Comm_free(world)
  call MPI_Finalize()
  call exit(status)

contains

  subroutine transform_planes(field, direction)
    complex(real64), intent(inout) :: field(:, :, :)
    integer, intent(in) :: direction
    integer :: i, plane

    do plane = 1, size(field, 3)
      do i = 1, size(field, 2)
        call transform(field(:, i, plane), direction)
      end do
      do i = 1, size(field, 1)
        call transform(field(i, :, plane), direction)
      end do
    end do
  end subroutine transform_planes

  subroutine transform_z(field, direction)
    complex(real64), intent(inout) :: field(:, :, :)
    integer, intent(in) :: direction
    integer :: x, y

    do y = 1, size(field, 3)
      do x = 1, size(field, 2)
        call transform(field(:, x, y), direction)
      end do
    end do
  end subroutine transform_z

  ! From real to Fourier space; block i of `packed` goes to rank i - 1.
  subroutine to_fourier(field, spectrum)
    complex(real64), intent(in) :: field(:, :, :)
    complex(real64), intent(out) :: spectrum(:, :, :)
    complex(real64), allocatable :: packed(:, :, :, :), received(:, :, :, :)
    integer :: other, z

    allocate (packed(what%x, own_y, own_z, ranks), received(what%x, own_y, own_z, ranks))
    do other = 1, ranks
      packed(:, :, :, other) = field(:, (other - 1) * own_y + 1:other * own_y, :)
    end do
    call MPI_Alltoall(packed, size(packed) / ranks, MPI_DOUBLE_COMPLEX, received, size(packed) / ranks, &
                      MPI_DOUBLE_COMPLEX, world)
    do other = 1, ranks
      do z = 1, own_z
        spectrum((other - 1) * own_z + z, :, :) = received(:, :, z, other)
      end do
    end do
  end subroutine to_fourier

  subroutine from_fourier(spectrum, field)
    complex(real64), intent(in) :: spectrum(:, :, :)
    complex(real64), intent(out) :: field(:, :, :)
    complex(real64), allocatable :: packed(:, :, :, :), received(:, :, :, :)
    integer :: other, z

    allocate (packed(what%x, own_y, own_z, ranks), received(what%x, own_y, own_z, ranks))
    do other = 1, ranks
      do z = 1, own_z
        packed(:, :, z, other) = spectrum((other - 1) * own_z + z, :, :)
      end do
    end do
    call MPI_Alltoall(packed, size(packed) / ranks, MPI_DOUBLE_COMPLEX, received, size(packed) / ranks, &
                      MPI_DOUBLE_COMPLEX, world)
    do other = 1, ranks
      field(:, (other - 1) * own_y + 1:other * own_y, :) = received(:, :, :, other)
    end do
  end subroutine from_fourier

  subroutine make_spectrum()
    integer(int64) :: state
    integer :: x, y, z
    real(real64) :: re, im

    state = skip_random(314159265_int64, 2_int64 * size(own%real_space) * rank)
    do z = 1, own_z
      do y = 1, what%y
        do x = 1, what%x
          re = next_random(state)
          im = next_random(state)
          own%real_space(x, y, z) = cmplx(re, im, real64)
        end do
      end do
    end do
    call transform_planes(own%real_space, -1)
    call to_fourier(own%real_space, own%spectrum)
    call transform_z(own%spectrum, -1)
  end subroutine make_spectrum

  pure function decay(count, first, length, time) result(left)
    integer, intent(in) :: count, first, length, time
    real(real64) :: left(count)
    integer :: i, frequency

    do i = 1, count
      frequency = first + i - 1
      if (frequency >= length / 2) frequency = frequency - length
      left(i) = exp(-4 * alpha * pi * pi * frequency * frequency * time)
    end do
  end function decay

  subroutine evolve(time)
    integer, intent(in) :: time
    real(real64) :: in_x(what%x), in_y(own_y), in_z(what%z)
    integer :: x, y

    in_x = decay(what%x, 0, what%x, time)
    in_y = decay(own_y, rank * own_y, what%y, time)
    in_z = decay(what%z, 0, what%z, time)
    do y = 1, own_y
      do x = 1, what%x
        own%damped(:, x, y) = own%spectrum(:, x, y) * (in_y(y) * in_x(x) * in_z)
      end do
    end do
  end subroutine evolve

  function checksum() result(all)
    complex(real64) :: mine, all
    integer :: j, z

    mine = 0
    do j = 1, 1024
      z = mod(5 * j, what%z) - rank * own_z
      if (z < 0 .or. z >= own_z) cycle
      mine = mine + own%real_space(mod(j, what%x) + 1, mod(3 * j, what%y) + 1, z + 1)
    end do
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, world)
    all = all / (real(size(own%real_space), real64) * ranks)
  end function checksum

  ! All steps, the `repetition`-th time.
  subroutine run(repetition, found)
    integer, intent(in) :: repetition
    complex(real64), intent(out) :: found(steps)
    complex(real64) :: before
    complex(real64), save :: previous
    integer :: step, number

    do step = 1, steps
      number = repetition * steps + step
      call hold_here(rank, number - 1)
      call evolve(step)
      call transform_z(own%damped, 1)
      call from_fourier(own%damped, own%real_space)
      call transform_planes(own%real_space, 1)
      found(step) = checksum()
      write (record_unit, rec=number) found(step), number
      if (number > 1) then
        read (record_unit, rec=number - 1) before
        if (abs(before - previous) > 0) wrong_records = wrong_records + 1
      end if
      previous = found(step)
    end do
  end subroutine run

  integer function benchmark()
    complex(real64) :: first(steps), found(steps)
    integer :: repetition, different, length, total
    real(real64) :: error
    character(len=160) :: reason

    what = small
    if (given%class == 'W') what = larger
    if (mod(what%z, ranks) /= 0) error stop 'the planes cannot be cut among the ranks'
    own_y = what%y / ranks
    own_z = what%z / ranks
    allocate (own%spectrum(what%z, what%x, own_y), own%damped(what%z, what%x, own_y))
    allocate (own%real_space(what%x, what%y, own_z))
    inquire (iolength=length) found(1), different
    open (newunit=record_unit, file=temporary_file(rank, '.records'), form='unformatted', access='direct', recl=length, &
          status='replace')
    call make_spectrum()
    different = 0
    wrong_records = 0
    do repetition = 0, given%times - 1
      call run(repetition, found)
      if (repetition == 0) first = found
      if (any(abs(found - first) > 0)) different = different + 1
    end do
    close (record_unit, status='delete')
    error = maxval(abs(first - what%checksums) / abs(what%checksums))
    call MPI_Allreduce(different + wrong_records, total, 1, MPI_INTEGER, MPI_SUM, world)
    write (reason, '("a checksum is off by ",es10.3," of its value, or one of ",i0," repetitions or records")') error, total
    benchmark = tell_result(digest_of_ranks(digest(digest_start, [real(found), aimag(found)], 2_c_size_t * steps), &
                                            world%MPI_VAL), error <= 1e-12_real64 .and. total == 0, reason)
    deallocate (own%real_space)
  end function benchmark

end program ft_f90
