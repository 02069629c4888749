! Types with FINAL procedures: what these have to do with is not dead, and of what they have nothing to do with all can be.
module splitting
  implicit none
  integer, parameter :: n = 4000
  type :: splitter
    character(len=:), allocatable :: text
    double precision :: weights(n)
    integer :: at = 0
  contains
    final :: finish
  end type splitter
  double precision, save :: work(n), sum_of_ends = 0
contains
  subroutine finish(this)
    type(splitter), intent(inout) :: this
    if (allocated(this%text)) deallocate(this%text)
#ifdef LOOKS_ELSEWHERE
    sum_of_ends = sum_of_ends + work(7)
#endif
    this%at = this%at + int(this%weights(n))
  end subroutine finish
  subroutine split(step, total)
    integer, intent(in) :: step
    double precision, intent(inout) :: total
    type(splitter) :: one
    one%text = 'a,b'
    one%weights = step
    total = total + len(one%text) + one%weights(step)
  end subroutine split
end module splitting

program finals
  use mpi
  use splitting
  implicit none
  double precision :: total
  integer :: error, step, i
  call mpi_init(error)
  total = 0
  do step = 1, 8
    call mpi_barrier(mpi_comm_world, error)
    call split(step, total)
    do i = 1, n
      work(i) = step * 0.5d0 + i
    end do
    total = total + sum(work)
  end do
  print *, total, sum_of_ends
  call mpi_finalize(error)
end program finals
