! MPI_IN_PLACE by an argument; and arrays that a procedure fills when its internal procedures have read them.
module fills
  use mpi
  implicit none
  integer :: ierr, i = 0
  double precision :: seen = 0
contains
  subroutine gather(from, to)
    integer :: from
    double precision :: to(20000)
    call MPI_Allgather(from, 0, MPI_DOUBLE_PRECISION, to, 10000, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  end subroutine
  subroutine look_and_fill(x)
    double precision :: x(100)
    call look
    x = i
  contains
    subroutine look
      seen = seen + sum(x)
    end subroutine
  end subroutine
  subroutine add_and_fill(x)
    double precision :: x(100)
    seen = seen + total()
    x = i
  contains
    double precision function total()
      total = sum(x)
    end function
  end subroutine
  subroutine pass_on(x, y)
    double precision :: x(100), y
    call fill(x)
    y = x(1)
  end subroutine
  subroutine fill(x)
    double precision :: x(100)
    integer :: q
    call look
    do q = 1, 100
      x(q) = i
    end do
  contains
    subroutine look
      seen = seen + x(5)
    end subroutine
  end subroutine
end module

program inplacedummy
  use fills
  implicit none
  integer :: rank, k
  double precision :: a(20000), b(100, 200), c(100, 200), d(100, 200), y(200), mine, all

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  a = [(rank + k, k = 1, 20000)]
  b = reshape(a, [100, 200])
  c = b
  d = b
  do i = 1, 10
    seen = 0
    call gather(MPI_IN_PLACE, a)
    do k = 1, 200
      call look_and_fill(b(1, k))
    end do
    do k = 1, 200
      call add_and_fill(c(1, k))
    end do
    do k = 1, 200
      call pass_on(d(1, k), y(k))
    end do
    mine = seen + sum(a) + b(2, 2) + c(3, 3) + sum(y)
    a = a + i
    call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    print '(i0,1x,i0,1x,es24.16)', rank, i, all
  end do
  call MPI_Finalize(ierr)
end program
