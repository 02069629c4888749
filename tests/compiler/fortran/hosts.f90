! Arrays of the program that procedures in it fill, element by element, with the help of others.
program hosts
  use mpi
  implicit none
  integer, parameter :: n = 1000
  real(8) :: pairs(2, n), hidden(n), asked(n), shifting(n), triples(3, n), early(2, n), total
  integer :: ierr, last
  call mpi_init(ierr)
  pairs = 1; hidden = 2; asked = 3; shifting = 4; triples = 5; early = 6
  last = n
  total = 0
  call steps(7)
  print '(f20.3)', total
  call mpi_finalize(ierr)
contains
  subroutine steps(seed)
    integer, intent(in) :: seed
    integer :: step
    real(8) :: hidden(3)  ! another one
    do step = 1, 4
      call mpi_barrier(mpi_comm_world, ierr)
      call fill(seed + step)
      hidden = sum(pairs) + sum(asked) + sum(shifting) + sum(triples) + sum(early)
      total = total + hidden(2)
    end do
  end subroutine
  subroutine fill(seed)
    integer, intent(in) :: seed
    integer :: state, i
    state = seed
    do i = 1, n
      pairs(1, i) = next(state)
      pairs(2, i) = next(state)
    end do
    do i = 1, n
      asked(i) = other(state)
    end do
    do i = 1, last
      shifting(i) = shift()
    end do
    do i = 1, n
      triples(1, i) = next(state)
      triples(3, i) = next(state)
    end do
    do i = 1, n
      early(1, i) = next(state) + early(2, i)
      early(2, i) = next(state)
    end do
  end subroutine
  real(8) function next(state)
    integer, intent(inout) :: state
    state = mod(state * 17 + 11, 1001)
    next = state
  end function
  real(8) function other(state)  ! reads what is being filled
    integer, intent(inout) :: state
    other = next(state) + asked(n - mod(state, 7))
  end function
  real(8) function shift()  ! the loop's bound is another one afterwards
    if (last > n / 2) last = last - 1
    shift = last
  end function
end program
