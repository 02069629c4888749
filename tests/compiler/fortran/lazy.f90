! Functions in expressions may not be called: compilers leave out what does not decide the value, and implied loops may
! make no pass. What such a function would have overwritten keeps its value, and is not dead. One whose value is all that is
! assigned is called.
program lazy
  use mpi
  implicit none
  real(8) :: either(1000), chosen(1000), implied(1000), work(1000), called(1000)
  integer :: step, i, n, ierr
  logical :: skip
  call mpi_init(ierr)
  either = 1
  chosen = 2
  implied = 3
  do step = 1, 10
    call mpi_barrier(mpi_comm_world, ierr)
    skip = mod(step, 4) /= 0
    work = step
    if (skip .or. fills_either()) n = step
    i = fills_called()
    n = merge(step, chooses(), skip)
    n = n + int(sum([(fills_implied(), i = 1, step - 5)]))
    print *, step, n, sum(either), sum(chosen), sum(implied), sum(work), sum(called)
  end do
  call mpi_finalize(ierr)
contains
  logical function fills_either()
    either = 1  ! called or not
    fills_either = .true.
  end function
  integer function fills_called()
    called = step
    fills_called = 1
  end function
  integer function chooses()
    chosen = step
    chooses = 7
  end function
  integer function fills_implied()
    implied = step
    fills_implied = 1
  end function
end program
