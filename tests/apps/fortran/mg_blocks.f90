! The periodic cube of the multigrid kernel, cut into blocks among the ranks, on every level; with mpif.h.
module mg_blocks
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: make_place, exchange, block_size

  ! Of the process, the same on all levels; directions are x, y, z.
  type, public :: place_type
    integer :: cube, rank, ranks, blocks(3), position(3), before(3), after(3)
  end type place_type
  type(place_type), public, save :: place

contains

  subroutine make_place()
    include 'mpif.h'
    integer :: d, failed, whole(3), at(3)

    call MPI_Comm_size(MPI_COMM_WORLD, place%ranks, failed)
    whole = 0
    call MPI_Dims_create(place%ranks, 3, whole, failed)
    call MPI_Cart_create(MPI_COMM_WORLD, 3, whole, [.true., .true., .true.], .false., place%cube, failed)
    call MPI_Comm_rank(place%cube, place%rank, failed)
    call MPI_Cart_coords(place%cube, place%rank, 3, at, failed)
    place%blocks = whole(3:1:-1) ! the last direction of MPI's is the fastest, x
    place%position = at(3:1:-1)
    do d = 1, 3
      call MPI_Cart_shift(place%cube, 3 - d, 1, place%before(d), place%after(d), failed)
    end do
  end subroutine make_place

  ! Of level k, which has 2^k points per side.
  function block_size(k) result(points)
    integer, intent(in) :: k
    integer :: points(3)
    points = 2**k / place%blocks
  end function block_size

  ! Fills in the layer of neighbours' points, direction by direction: so the corners come, too.
  subroutine exchange(u)
    real(real64), intent(inout) :: u(0:, 0:, 0:)
    integer :: n

    n = ubound(u, 1) - 1
    call swap(1, u(n, :, :), u(0, :, :), place%after(1), place%before(1))
    call swap(1, u(1, :, :), u(n + 1, :, :), place%before(1), place%after(1))
    n = ubound(u, 2) - 1
    call swap(2, u(:, n, :), u(:, 0, :), place%after(2), place%before(2))
    call swap(2, u(:, 1, :), u(:, n + 1, :), place%before(2), place%after(2))
    n = ubound(u, 3) - 1
    call swap(3, u(:, :, n), u(:, :, 0), place%after(3), place%before(3))
    call swap(3, u(:, :, 1), u(:, :, n + 1), place%before(3), place%after(3))
  end subroutine exchange

  subroutine swap(direction, sent, received, to, from)
    include 'mpif.h'
    integer, intent(in) :: direction, to, from
    real(real64), intent(in) :: sent(:, :)
    real(real64), intent(inout) :: received(:, :)
    real(real64), allocatable :: edge(:, :)
    integer :: failed

    allocate (edge(size(sent, 1), size(sent, 2)), source=sent)
    if (place%blocks(direction) > 1) then
      call MPI_Sendrecv_replace(edge, size(edge), MPI_DOUBLE_PRECISION, to, 0, from, 0, place%cube, &
                                MPI_STATUS_IGNORE, failed)
    end if
    received = edge
  end subroutine swap

end module mg_blocks
