! What WRITE and PRINT do with variables: they read their items, which keep their values, and change
! IOSTAT and the variables of implied loops.
program written
  use mpi
  implicit none
  integer, parameter :: n = 1000
  real(8) :: work(n), to_status(n), to_last(n), to_printed(n), item(n), total
  integer :: step, ierr, length, status, last, printed, i
  integer :: numbers(4)
  call mpi_init(ierr)
  work = 1; to_status = 2; to_last = 3; to_printed = 5; item = 6
  numbers = 7
  length = n
  status = n
  last = n
  printed = n
  total = 0
  open (11, status='scratch')
  do step = 1, 4
    call mpi_barrier(mpi_comm_world, ierr)
    write (11, *) length, item(step)
    work(1:length) = step
    item = step
    write (11, *, iostat=status) step
    to_status(:status + 10) = step
    write (11, *) (2 * numbers(last), last = 1, 2)
    to_last(:last) = step
    print '(4i4)', (2 * numbers(printed), printed = 1, 3)
    to_printed(:printed) = step
    total = total + sum(work) + sum(to_status) + sum(to_last) + sum(to_printed)
    status = n
    last = n
    printed = n
    do i = 1, n
      total = total + item(i)
    end do
  end do
  print '(f20.3)', total
  call mpi_finalize(ierr)
end program
