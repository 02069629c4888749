C Compiled with -fno-automatic and -fd-lines-as-code: what a procedure leaves in its variables is there in its next call,
C and lines that begin with D are read.
      program keeps
      implicit none
      include 'mpif.h'
      integer ierror, istep, i
      double precision total, debugg(4000), work(4000)
      call mpi_init(ierror)
      total = 0
      do i = 1, 4000
        debugg(i) = i
      end do
      do istep = 1, 8
        call mpi_barrier(mpi_comm_world, ierror)
D       total = total + debugg(istep)
        do i = 1, 4000
          debugg(i) = istep + i
          work(i) = istep * 0.5d0 + i
        end do
        do i = 1, 4000
          total = total + debugg(i) * work(i)
        end do
        call grow(istep, total)
      end do
      print *, total
      call mpi_finalize(ierror)
      end

      subroutine grow(istep, total)
      implicit none
      integer istep, i
      double precision total, cells(4000)
      if (istep .eq. 1) then
        do i = 1, 4000
          cells(i) = i
        end do
      end if
      do i = 1, 4000
        total = total + cells(i)
        cells(i) = cells(i) + 1
      end do
      end
