! The work is done in a procedure that nobody in the program calls, but code from outside that has been given its address.
module working
  use iso_c_binding
  use mpi
  implicit none
  interface
    subroutine call_back(procedure) bind(c)
      import :: c_funptr
      type(c_funptr), value :: procedure
    end subroutine call_back
  end interface
contains
  subroutine run() bind(c)
    integer, parameter :: n = 4000
    double precision :: work(n), kept(n), total
    integer :: error, step, i
    kept = 1
    total = 0
    do step = 1, 8
      call mpi_barrier(mpi_comm_world, error)
      do i = 1, n
        work(i) = step * 0.5d0 + i
      end do
      kept = kept + work
      total = total + sum(kept)
    end do
    print *, total
  end subroutine run
end module working

program called_back
  use working
  implicit none
  integer :: error
  call mpi_init(error)
  call call_back(c_funloc(run))
  call mpi_finalize(error)
end program called_back
