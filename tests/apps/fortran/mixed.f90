! A Fortran program with a C++ library (mixed_library.cpp): objects of the library are kept as C pointers, its handles
! of MPI are converted and used in Fortran, and it calls back a function of the program, which communicates itself.
module mixed_model
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none

  type :: tally
    integer :: calls = 0
    real(c_double), allocatable :: values(:)
  end type tally

  interface
    function model_create(communicator) bind(c) result(model)
      import :: c_ptr, c_int
      integer(c_int), value :: communicator
      type(c_ptr) :: model
    end function model_create
    subroutine model_add(model, name, factor) bind(c)
      import :: c_ptr, c_char, c_double
      type(c_ptr), value :: model
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: factor
    end subroutine model_add
    function model_communicator(model) bind(c) result(handle)
      import :: c_ptr, c_int
      type(c_ptr), value :: model
      integer(c_int) :: handle
    end function model_communicator
    function model_pair(model) bind(c) result(handle)
      import :: c_ptr, c_int
      type(c_ptr), value :: model
      integer(c_int) :: handle
    end function model_pair
    function model_step(model, x, visit, data) bind(c) result(all)
      import :: c_ptr, c_double, c_funptr
      type(c_ptr), value :: model, data
      real(c_double), value :: x
      type(c_funptr), value :: visit
      real(c_double) :: all
    end function model_step
    function model_history(model, count) bind(c) result(values)
      import :: c_ptr, c_int
      type(c_ptr), value :: model
      integer(c_int), intent(out) :: count
      type(c_ptr) :: values
    end function model_history
    subroutine model_destroy(model) bind(c)
      import :: c_ptr
      type(c_ptr), value :: model
    end subroutine model_destroy
  end interface

contains

  ! Called by the library for each term.
  function visit(value, data) bind(c) result(returned)
    real(c_double), intent(in) :: value
    type(c_ptr), value :: data
    real(c_double) :: returned
    type(tally), pointer :: all
    real(c_double) :: largest

    call c_f_pointer(data, all)
    all%calls = all%calls + 1
    all%values = [all%values, value]
    call MPI_Allreduce(value, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    returned = value + mod(largest, 7.0_c_double)
  end function visit

end module mixed_model

program mixed
  use, intrinsic :: iso_c_binding
  use mpi_f08
  use app
  use mixed_model
  implicit none

  type(options) :: given
  type(c_ptr) :: model
  type(MPI_Comm) :: communicator
  type(MPI_Datatype) :: pair
  type(tally), target :: all
  procedure(visit), pointer :: visitor => null()
  integer :: rank, ranks, status

  given%times = 100
  call parse_options('mixed', .false., given)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  if (.not. may_not_work(rank, status)) status = run()
  call MPI_Finalize()
  call exit(status)

contains

  ! What the step's sum has to be: every term is the same function of x on all ranks but for x itself.
  function expected(step) result(sum)
    integer, intent(in) :: step
    real(c_double) :: sum, x, values(3), largest(3)
    integer :: other

    largest = terms(real(ranks - 1 + step, c_double), step)
    sum = 0
    do other = 0, ranks - 1
      x = other + step
      values = terms(x, step)
      sum = sum + values(1) + values(2) + values(3) + mod(largest(1), 7.0_c_double) + mod(largest(2), 7.0_c_double) &
            + mod(largest(3), 7.0_c_double)
    end do
  end function expected

  pure function terms(x, step) result(values)
    real(c_double), intent(in) :: x
    integer, intent(in) :: step
    real(c_double) :: values(3)
    values = [2 * x, x + step, 3 * x]
  end function terms

  ! Sends two numbers around the ring, in the library's type and communicator.
  integer function wrong_pairs(step)
    integer, intent(in) :: step
    real(c_double) :: sent(2), received(2)

    sent = [real(rank, c_double), real(step, c_double)]
    call MPI_Sendrecv(sent, 1, pair, mod(rank + 1, ranks), 3, received, 1, pair, mod(rank + ranks - 1, ranks), 3, &
                      communicator, MPI_STATUS_IGNORE)
    wrong_pairs = count(nint(received) /= [mod(rank + ranks - 1, ranks), step])
  end function wrong_pairs

  integer function run()
    integer :: step, wrong, everywhere
    integer(c_int) :: length
    real(c_double), pointer :: history(:)
    character(len=80) :: reason

    allocate (all%values(0))
    model = model_create(MPI_COMM_WORLD%MPI_VAL)
    communicator%MPI_VAL = model_communicator(model)
    pair%MPI_VAL = model_pair(model)
    call model_add(model, 'a, twice' // c_null_char, 2.0_c_double)
    call model_add(model, 'b, counting' // c_null_char, 0.0_c_double)
    call model_add(model, 'c, three times' // c_null_char, 3.0_c_double)
    visitor => visit
    wrong = 0
    do step = 1, given%times
      call hold_here(rank, step - 1)
      if (nint(model_step(model, real(rank + step, c_double), c_funloc(visitor), c_loc(all))) /= nint(expected(step))) &
        wrong = wrong + 1
      wrong = wrong + wrong_pairs(step)
    end do
    call c_f_pointer(model_history(model, length), history, [length])
    do step = 1, length
      if (nint(history(step)) /= nint(expected(step))) wrong = wrong + 1
    end do
    if (length /= given%times .or. all%calls /= 3 * given%times) wrong = wrong + 1
    call MPI_Allreduce(wrong, everywhere, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    write (reason, '(i0," sums or pairs are wrong")') everywhere
    run = tell_result(digest_of_ranks(digest(digest(digest_start, history, int(length, c_size_t)), all%values, &
                                             size(all%values, kind=c_size_t)), MPI_COMM_WORLD%MPI_VAL), &
                      everywhere == 0, reason)
    call model_destroy(model)
  end function run

end program mixed
