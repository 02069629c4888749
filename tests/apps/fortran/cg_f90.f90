! The conjugate gradient kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007), in
! Fortran 90 with `use mpi`: see cg.c. Arrays are allocatable; the own part of the search direction is a pointer to a
! section of it; a formatted file is written, and another read, a line in each iteration.
!
! A time step is one iteration. Live at its start: the options; the problem's sizes, rank and number of ranks; the matrix
! by rows (begin, columns, values); x; counts and places; the descriptor of p; the numbers of the repetition and of the
! iteration, the last zeta and the first one; how many repetitions and lines were wrong; the units.
! Not live: z, q, r and whole, set anew in each iteration.
program cg_f90
  use mpi
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: iso_c_binding, only: c_size_t
  use app
  use cg_matrix
  implicit none

  integer, parameter :: solver_iterations = 25
  type(problem), parameter :: problems(2) = [ &
    problem('S', 1400, 7, 15, 10.0_real64, 8.5971775078648_real64), &
    problem('W', 7000, 8, 15, 12.0_real64, 10.362595087124_real64)]

  type(options) :: given
  type(problem) :: what
  type(sparse) :: matrix
  real(real64), allocatable :: x(:), z(:), q(:), r(:)
  real(real64), allocatable, target :: whole(:)
  real(real64), pointer :: p(:)
  integer, allocatable :: counts(:), places(:)
  integer :: rank, ranks, status, failed, log_unit, in_unit, different, wrong_lines
  character(len=80) :: label

  call parse_options('cg_f90', .true., given)
  call MPI_Init(failed)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failed)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, failed)
  if (.not. may_not_work(rank, status)) status = benchmark()
  call MPI_Finalize(failed)
  call exit(status)

contains

  function dot(a, b) result(all)
    real(real64), intent(in) :: a(:), b(:)
    real(real64) :: own, all

    own = dot_product(a, b)
    call MPI_Allreduce(own, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, failed)
  end function dot

  ! Solves A z = x approximately.
  subroutine solve()
    real(real64) :: rho, previous, alpha
    integer :: iteration

    q = 0
    z = 0
    r = x
    whole = 0
    p = r
    rho = dot(r, r)
    do iteration = 1, solver_iterations
      call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, whole, counts, places, MPI_DOUBLE_PRECISION, &
                          MPI_COMM_WORLD, failed)
      call multiply(matrix, whole, q)
      alpha = rho / dot(p, q)
      z = z + alpha * p
      r = r - alpha * q
      previous = rho
      rho = dot(r, r)
      p = r + rho / previous * p
    end do
  end subroutine solve

  ! All iterations, the `repetition`-th time.
  function iterate(repetition) result(zeta)
    integer, intent(in) :: repetition
    real(real64) :: zeta
    integer :: iteration, number, expected
    character(len=16) :: word

    zeta = 0
    x = 1
    do iteration = 1, what%iterations
      number = repetition * what%iterations + iteration - 1
      call hold_here(rank, number)
      call solve()
      zeta = what%shift + 1 / dot(x, z)
      x = z / sqrt(dot(z, z))
      read (in_unit, *) word, expected
      if (word /= 'line' .or. expected /= number) wrong_lines = wrong_lines + 1
      write (label, '("iteration ",i0," of ",i0)') iteration, what%iterations
      write (log_unit, '(a,":",es24.16)') trim(label), zeta
    end do
  end function iterate

  subroutine open_units()
    integer :: line

    open (newunit=in_unit, file=temporary_file(rank, '.in'), form='formatted', status='replace', action='readwrite')
    do line = 0, given%times * what%iterations - 1
      write (in_unit, '("line ",i0)') line
    end do
    rewind (in_unit)
    open (newunit=log_unit, file=temporary_file(rank, '.log'), form='formatted', status='replace', action='readwrite')
  end subroutine open_units

  ! What is in the log has to be a line for each iteration, the last one with the result.
  subroutine check_log(zeta)
    real(real64), intent(in) :: zeta
    character(len=120) :: line
    integer :: lines, at, ended
    real(real64) :: last

    rewind (log_unit)
    lines = 0
    last = 0
    do
      read (log_unit, '(a)', iostat=ended) line
      if (ended /= 0) exit
      lines = lines + 1
      at = index(line, ':')
      read (line(at + 1:), *) last
    end do
    if (lines /= given%times * what%iterations .or. abs(last - zeta) > 1e-13_real64) wrong_lines = wrong_lines + 1
    close (log_unit, status='delete')
    close (in_unit, status='delete')
  end subroutine check_log

  integer function benchmark()
    real(real64) :: zeta, found
    integer :: repetition, other
    character(len=160) :: reason

    what = problems(index('SW', given%class))
    call make_matrix(what, rank, ranks, matrix)
    allocate (x(matrix%rows), z(matrix%rows), q(matrix%rows), r(matrix%rows), whole(matrix%order))
    p => whole(matrix%first:matrix%first + matrix%rows - 1)
    places = [(first_row_of(what%order, other, ranks) - 1, other=0, ranks - 1)]
    counts = [(first_row_of(what%order, other + 1, ranks) - 1, other=0, ranks - 1)] - places
    different = 0
    wrong_lines = 0
    call open_units()
    do repetition = 0, given%times - 1
      found = iterate(repetition)
      if (repetition == 0) zeta = found
      if (transfer(found, 0_int64) /= transfer(zeta, 0_int64)) different = different + 1
    end do
    call check_log(zeta)
    call MPI_Allreduce(MPI_IN_PLACE, wrong_lines, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, failed)
    write (reason, '("zeta is ",f0.13,", of class ",a," it is ",f0.13,"; ",i0," repetitions ended differently, ",i0,&
      &" lines of files are wrong")') zeta, what%name, what%zeta, different, wrong_lines
    benchmark = tell_result(digest_of_ranks(digest(digest_start, [x, zeta], size(x, kind=c_size_t) + 1), MPI_COMM_WORLD), &
                            abs(zeta - what%zeta) <= 1e-10_real64 .and. different + wrong_lines == 0, reason)
  end function benchmark

end program cg_f90
