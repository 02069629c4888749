! A kind by its range, of which flang has a smaller one than gfortran; and files of the program that are left as they are.
program kinds
  use mpi
  implicit none
  interface
    subroutine report(total)
      double precision, intent(in) :: total
    end subroutine report
  end interface
  integer, parameter :: wide = selected_real_kind(r=30)
  integer :: error, step, i
  double precision :: total
  real(wide), save :: work(10000)
  real(selected_real_kind(p=6, r=30)), save :: more(5000)
  call mpi_init(error)
  total = 0
  do step = 1, 8
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, 10000
      work(i) = step * 0.5_wide + i
    end do
    do i = 1, 5000
      more(i) = step * 0.25 + i
    end do
    do i = 1, 5000
      total = total + work(2 * i) * more(i)
    end do
  end do
  call report(total)
  call mpi_finalize(error)
end program kinds
