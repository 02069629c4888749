C Loops that are made of GOTO: the steps, with a way around the end, one inside that ends with IF, and one that somebody
C enters in its midst.
      program steps
      implicit none
      include 'mpif.h'
      integer n, ierror, istep, i, ntimes
      parameter (n=4000)
      double precision work(n), kept(n), total
      call mpi_init(ierror)
      total = 0
      istep = 0
      do i = 1, n
        kept(i) = i
      end do
 1000 continue
      istep = istep + 1
      call mpi_barrier(mpi_comm_world, ierror)
      do i = 1, n
        work(i) = istep * 0.5d0 + i
      end do
      ntimes = 0
 1100 continue
      ntimes = ntimes + 1
      do i = 1, n
        kept(i) = kept(i) + work(i)
      end do
      if (ntimes .lt. 3) goto 1100
      if (mod(istep, 2) .eq. 1) goto 1000
      do i = 1, n
        total = total + work(i)
      end do
      if (istep .ge. 8) goto 2000
      goto 1000
 2000 continue
      do i = 1, n
        total = total + kept(i)
      end do
      i = 0
      if (total .gt. 0) goto 3100
 3000 continue
      i = i + 1
      total = total + 1
 3100 total = total + work(n)
      if (i .lt. 3) goto 3000
      print *, total
      call mpi_finalize(ierror)
      end
