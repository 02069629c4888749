! What the Fortran programs share: the command line, holds, digests, how results are told, names of temporary files.
module app
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private
  public :: parse_options, may_not_work, hold_here, digest, digest_of_ranks, tell_result, temporary_file

  integer, parameter :: path_length = 4096
  integer(c_int64_t), parameter, public :: digest_start = int(z'4bf29ce484222325', c_int64_t)

  ! `times` is what --repeat or --steps says; `class` is blank in programs without classes. The last three are for
  ! programs of any size, which set `megabytes` before they parse their options.
  type, public :: options
    character(len=1) :: class = ' '
    integer :: times = 1
    integer :: megabytes = 0
    integer :: pause_us = 0
    character(len=path_length) :: until = ' '
  end type options

  type, bind(c) :: hold_type
    type(c_ptr) :: file = c_null_ptr
    type(c_ptr) :: steps = c_null_ptr
  end type hold_type

  character(len=path_length), target, save :: hold_file = ' ', hold_steps = ' '
  character(len=path_length), save :: file_base = ' '
  character(len=path_length), save :: program_name = ' ', last_option = ' ', error = ' '
  logical, save :: helps = .false., any_size = .false., holds = .false.

  interface
    subroutine c_hold_at(hold, rank, step) bind(c, name='hold_at')
      import :: hold_type, c_int, c_long
      type(hold_type), intent(in) :: hold
      integer(c_int), value :: rank
      integer(c_long), value :: step
    end subroutine c_hold_at
    function digest(before, values, count) bind(c, name='digest_doubles')
      import :: c_int64_t, c_double, c_size_t
      integer(c_int64_t), value :: before
      real(c_double), intent(in) :: values(*)
      integer(c_size_t), value :: count
      integer(c_int64_t) :: digest
    end function digest
    function digest_of_ranks(own, communicator) bind(c, name='app_digest_ranks')
      import :: c_int64_t, c_int
      integer(c_int64_t), value :: own
      integer(c_int), value :: communicator
      integer(c_int64_t) :: digest_of_ranks
    end function digest_of_ranks
    function c_tell(name, checksum, right, reason) bind(c, name='app_tell')
      import :: c_int64_t, c_int, c_char
      character(kind=c_char), intent(in) :: name(*), reason(*)
      integer(c_int64_t), value :: checksum
      integer(c_int), value :: right
      integer(c_int) :: c_tell
    end function c_tell
    function c_getpid() bind(c, name='getpid')
      import :: c_int
      integer(c_int) :: c_getpid
    end function c_getpid
  end interface

contains

  ! Reads "CLASS --repeat N" (for names with a class) or "--steps N"; --mb M, --until FILE and --pause-us U for programs
  ! of any size; --file FILE, --hold FILE, --hold-at K. Before MPI_Init.
  subroutine parse_options(name, has_class, read)
    character(len=*), intent(in) :: name
    logical, intent(in) :: has_class
    type(options), intent(inout) :: read
    character(len=path_length) :: argument
    integer :: i

    program_name = name
    last_option = merge('--repeat', '--steps ', has_class)
    any_size = read%megabytes > 0
    i = 1
    do while (i <= command_argument_count())
      call get_command_argument(i, argument)
      if (argument == '--help') then
        helps = .true.
      else if (argument == last_option) then
        i = i + 1
        call read_number(i, last_option, read%times)
      else if (any_size .and. argument == '--mb') then
        i = i + 1
        call read_number(i, argument, read%megabytes)
      else if (any_size .and. argument == '--pause-us') then
        i = i + 1
        call read_number(i, argument, read%pause_us)
      else if (any_size .and. argument == '--until') then
        i = i + 1
        call read_text(i, argument, read%until)
      else if (argument == '--hold') then
        i = i + 1
        call read_text(i, argument, hold_file)
        holds = .true.
      else if (argument == '--file') then
        i = i + 1
        call read_text(i, argument, file_base)
      else if (argument == '--hold-at') then
        i = i + 1
        call read_text(i, argument, hold_steps)
      else if (has_class .and. len_trim(argument) == 1 .and. index('SW', trim(argument)) > 0) then
        read%class = argument(1:1)
      else if (error == ' ') then
        error = "'" // trim(argument) // "' is not understood"
      end if
      i = i + 1
    end do
    if (has_class .and. read%class == ' ' .and. error == ' ') error = 'a class is wanted: S or W'
  end subroutine parse_options

  subroutine read_text(i, option, text)
    integer, intent(in) :: i
    character(len=*), intent(in) :: option
    character(len=*), intent(inout) :: text
    character(len=path_length) :: argument

    if (i > command_argument_count()) then
      error = trim(option) // ' needs a value'
      return
    end if
    call get_command_argument(i, argument)
    text = trim(argument) // c_null_char
  end subroutine read_text

  subroutine read_number(i, option, number)
    integer, intent(in) :: i
    character(len=*), intent(in) :: option
    integer, intent(inout) :: number
    character(len=path_length) :: argument
    integer :: failed

    call get_command_argument(i, argument)
    read (argument, *, iostat=failed) number
    if (failed /= 0 .or. number < 1) error = trim(option) // " wants a whole number from 1, not '" // trim(argument) // "'"
  end subroutine read_number

  ! After MPI_Init: whether the program has to end without working. Rank 0 says why.
  logical function may_not_work(rank, status)
    integer, intent(in) :: rank
    integer, intent(out) :: status
    character(len=:), allocatable :: name

    name = trim(program_name)
    may_not_work = helps .or. error /= ' '
    status = merge(0, 2, helps)
    if (rank /= 0 .or. .not. may_not_work) return
    if (.not. helps) then
      write (error_unit, '(5a)') name, ': ', trim(error), '; see ', name // ' --help'
      return
    end if
    print '(a)', 'Usage: ' // name // trim(merge(' CLASS', '      ', last_option == '--repeat')) // ' [' // &
      trim(last_option) // ' N] [--file FILE] [--hold FILE --hold-at K]', &
      'Computes what tests/apps/fortran/' // name // ' describes, and checks the result.', &
      '  ' // last_option(1:12) // ' how often (class: S or W); the results must be the same', &
      '  --file FILE  what names of files begin with, which are removed in the end (in a temporary directory)', &
      '  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it', &
      'Exit status: 0 right, 1 wrong, 2 wrong usage.', 'Example:', &
      '  mpirun -n 4 ' // name // trim(merge(' S', '  ', last_option == '--repeat'))
    if (any_size) print '(a)', 'Also:', '  --mb M        million bytes of state of each rank', &
      '  --until FILE  in place of --steps: go on until FILE exists', '  --pause-us U  sleep U microseconds in every step'
  end function may_not_work

  subroutine hold_here(rank, step)
    integer, intent(in) :: rank, step
    type(hold_type) :: hold

    if (.not. holds) return
    hold%file = c_loc(hold_file)
    if (hold_steps /= ' ') hold%steps = c_loc(hold_steps)
    call c_hold_at(hold, int(rank, c_int), int(step, c_long))
  end subroutine hold_here

  ! Returns the exit status: 0, or 1 for a wrong result. `right` must be the same on every rank.
  integer function tell_result(checksum, right, reason)
    integer(c_int64_t), intent(in) :: checksum
    logical, intent(in) :: right
    character(len=*), intent(in) :: reason

    tell_result = c_tell(trim(program_name) // c_null_char, checksum, merge(1, 0, right), trim(reason) // c_null_char)
  end function tell_result

  ! A path of the rank's own: what --file says, or in the temporary directory.
  function temporary_file(rank, suffix) result(path)
    integer, intent(in) :: rank
    character(len=*), intent(in) :: suffix
    character(len=path_length) :: path, directory

    if (file_base /= ' ') then
      write (path, '(a,".",i0,a)') file_base(:index(file_base, c_null_char) - 1), rank, suffix
      return
    end if
    call get_environment_variable('TMPDIR', directory)
    if (directory == ' ') directory = '/tmp'
    write (path, '(a,"/",a,"-",i0,a)') trim(directory), trim(program_name), c_getpid(), suffix
  end function temporary_file

end module app
