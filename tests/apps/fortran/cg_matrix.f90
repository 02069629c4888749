! The random sparse matrix of the conjugate gradient kernel: the rows of one rank.
module cg_matrix
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use nas_random
  implicit none
  private
  public :: make_matrix, multiply, first_row_of

  real(real64), parameter :: rcond = 0.1_real64

  type, public :: problem
    character(len=1) :: name
    integer :: order, nonzeros, iterations
    real(real64) :: shift, zeta
  end type problem

  ! Elements of row i are at begin(i) to begin(i + 1) - 1.
  type, public :: sparse
    integer :: order = 0, first = 1, rows = 0
    integer, allocatable :: begin(:), columns(:)
    real(real64), allocatable :: values(:)
  end type sparse

  ! The random vectors v_i, of which the matrix is the weighted sum of v_i v_i^T.
  type :: vector
    integer, allocatable :: places(:)
    real(real64), allocatable :: values(:)
  end type vector

contains

  pure integer function first_row_of(order, rank, ranks)
    integer, intent(in) :: order, rank, ranks
    first_row_of = int(int(order, int64) * rank / ranks) + 1
  end function first_row_of

  ! A place outside the vector or already taken discards the value, too.
  subroutine make_vector(what, i, seed, made)
    type(problem), intent(in) :: what
    integer, intent(in) :: i
    integer(int64), intent(inout) :: seed
    type(vector), intent(out) :: made
    integer :: range, place
    real(real64) :: value

    range = 1
    do while (range < what%order)
      range = 2 * range
    end do
    allocate (made%places(0), made%values(0))
    do while (size(made%places) < what%nonzeros)
      value = next_random(seed)
      place = int(range * next_random(seed)) + 1
      if (place > what%order .or. any(made%places == place)) cycle
      made%places = [made%places, place]
      made%values = [made%values, value]
    end do
    if (any(made%places == i)) then
      where (made%places == i) made%values = 0.5_real64
    else
      made%places = [made%places, i]
      made%values = [made%values, 0.5_real64]
    end if
  end subroutine make_vector

  subroutine make_matrix(what, rank, ranks, matrix)
    type(problem), intent(in) :: what
    integer, intent(in) :: rank, ranks
    type(sparse), intent(out) :: matrix
    type(vector), allocatable :: vectors(:)
    integer(int64) :: seed
    integer :: i
    real(real64) :: thrown_away

    matrix%order = what%order
    matrix%first = first_row_of(what%order, rank, ranks)
    matrix%rows = first_row_of(what%order, rank + 1, ranks) - matrix%first
    allocate (vectors(what%order))
    seed = 314159265_int64
    thrown_away = next_random(seed)
    do i = 1, what%order
      call make_vector(what, i, seed, vectors(i))
    end do
    call add_products(vectors, matrix)
    call merge_products(matrix, rcond - what%shift)
  end subroutine make_matrix

  ! Puts the products into their rows, in the order in which they arise.
  subroutine add_products(vectors, matrix)
    type(vector), intent(in) :: vectors(:)
    type(sparse), intent(inout) :: matrix
    integer, allocatable :: next(:)
    integer :: i, k, row, count
    real(real64) :: ratio, weight

    allocate (matrix%begin(matrix%rows + 1), source=0)
    do i = 1, size(vectors)
      do k = 1, size(vectors(i)%places)
        row = vectors(i)%places(k) - matrix%first + 1
        if (row >= 1 .and. row <= matrix%rows) matrix%begin(row + 1) = matrix%begin(row + 1) + size(vectors(i)%places)
      end do
    end do
    matrix%begin(1) = 1
    do row = 1, matrix%rows
      matrix%begin(row + 1) = matrix%begin(row + 1) + matrix%begin(row)
    end do
    allocate (matrix%columns(matrix%begin(matrix%rows + 1) - 1), matrix%values(matrix%begin(matrix%rows + 1) - 1))
    next = matrix%begin
    ratio = rcond**(1 / real(matrix%order, real64))
    weight = 1
    do i = 1, size(vectors)
      count = size(vectors(i)%places)
      do k = 1, count
        row = vectors(i)%places(k) - matrix%first + 1
        if (row < 1 .or. row > matrix%rows) cycle
        matrix%columns(next(row):next(row) + count - 1) = vectors(i)%places
        matrix%values(next(row):next(row) + count - 1) = weight * vectors(i)%values * vectors(i)%values(k)
        next(row) = next(row) + count
      end do
      weight = weight * ratio
    end do
  end subroutine add_products

  ! Adds up the products of one element, and adds the diagonal.
  subroutine merge_products(matrix, diagonal)
    type(sparse), intent(inout) :: matrix
    real(real64), intent(in) :: diagonal
    integer :: row, begin, merged, i, column, last
    integer, allocatable :: found(:) ! by column; before the row's beginning: not in it yet

    allocate (found(matrix%order), source=0)
    merged = 1
    i = 1
    do row = 1, matrix%rows
      begin = merged
      last = matrix%begin(row + 1) - 1
      do while (i <= last)
        column = matrix%columns(i)
        if (found(column) < begin) then
          found(column) = merged
          matrix%columns(merged) = column
          matrix%values(merged) = matrix%values(i)
          merged = merged + 1
        else
          matrix%values(found(column)) = matrix%values(found(column)) + matrix%values(i)
        end if
        i = i + 1
      end do
      column = found(matrix%first + row - 1)
      matrix%values(column) = matrix%values(column) + diagonal
      matrix%begin(row) = begin
    end do
    matrix%begin(matrix%rows + 1) = merged
    matrix%columns = matrix%columns(:merged - 1)
    matrix%values = matrix%values(:merged - 1)
  end subroutine merge_products

  subroutine multiply(matrix, whole, result)
    type(sparse), intent(in) :: matrix
    real(real64), intent(in) :: whole(:)
    real(real64), intent(out) :: result(:)
    integer :: row, i
    real(real64) :: sum

    do row = 1, matrix%rows
      sum = 0
      do i = matrix%begin(row), matrix%begin(row + 1) - 1
        sum = sum + matrix%values(i) * whole(matrix%columns(i))
      end do
      result(row) = sum
    end do
  end subroutine multiply

end module cg_matrix
