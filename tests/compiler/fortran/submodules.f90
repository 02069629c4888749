! What procedures of submodules use is not known, but for the names that their objects have.
module solver
  implicit none
  private
  integer, parameter, public :: n = 1000
  real(8), public :: work(n), seen(n), from_own_file(n)
  real(8) :: hidden(n)
  public :: look, look_nearby, fill
  interface
    module subroutine look(total)
      real(8), intent(inout) :: total
    end subroutine
    module subroutine look_nearby(total)
      real(8), intent(inout) :: total
    end subroutine
  end interface
contains
  subroutine fill(step)
    integer, intent(in) :: step
    hidden = step
  end subroutine
end module

program submodules
  use solver
  use mpi
  implicit none
  real(8) :: total, own(n)
  integer :: step, ierr
  call mpi_init(ierr)
  own = 1; work = 2; seen = 3; from_own_file = 4
  call fill(5)
  total = 0
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    call look(total)
    call look_nearby(total)
    own = step
    work = step
    seen = step
    from_own_file = step
    call fill(step)
    total = total + sum(own) + sum(work) + sum(seen) + sum(from_own_file)
  end do
  call look(total)
  print '(f20.3)', total
  call mpi_finalize(ierr)
end program
