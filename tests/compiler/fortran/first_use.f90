! Work arrays that are allocated when they are first used, and one whose allocation may fail without a word: it keeps what
! it has then.
module workspace
  implicit none
  integer, parameter :: n = 4000
  double precision, allocatable :: work(:), kept(:), grown(:)
contains
  subroutine advance(step, total)
    integer, intent(in) :: step
    double precision, intent(inout) :: total
    integer :: i, failed
    if (.not. allocated(work)) allocate(work(n))
    if (.not. allocated(kept)) then
      allocate(kept(n))
      kept = 1
    end if
    allocate(grown(n), stat=failed)
    if (failed == 0) grown = 2
    do i = 1, n
      work(i) = step * 0.5d0 + i
    end do
    do i = 1, n
      kept(i) = kept(i) + work(i)
      grown(i) = grown(i) + 1
      total = total + kept(i) * grown(i)
    end do
  end subroutine advance
end module workspace

program first_use
  use mpi
  use workspace
  implicit none
  double precision :: total
  integer :: error, step
  call mpi_init(error)
  total = 0
  do step = 1, 8
    call mpi_barrier(mpi_comm_world, error)
    call advance(step, total)
  end do
  print *, total
  call mpi_finalize(error)
end program first_use
