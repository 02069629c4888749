C     A file is open in the first 7 steps.
      program units
      include 'mpif.h'
      integer i, ierr
      double precision x, y
      call mpi_init(ierr)
      open (unit=10, status='scratch')
      x = 1
      do 10 i = 1, 20
         if (i .eq. 8) close (10)
         call mpi_allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                      MPI_COMM_WORLD, ierr)
         if (i .lt. 8) write (10, *) y
         x = y + i
   10 continue
      write (*, *) x
      call mpi_finalize(ierr)
      end
