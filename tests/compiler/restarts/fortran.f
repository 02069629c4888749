C     What f2c makes of common blocks, EQUIVALENCE, SAVE, DATA, character variables and loops; handles in integers.
      program relax
      implicit none
      include 'mpif.h'
      integer n, steps
      parameter (n = 400, steps = 12)
      double precision u(n), v(n), part, total
      common /field/ u, v
      integer ring, row, request(2), larger, most
      integer ierr, step, i, me, calls
      common /handles/ ring, row
      integer status(MPI_STATUS_SIZE, 2)
      double precision moved, began
      external moved, pick
      character*8 name
      logical found
      save began

      call mpi_init(ierr)
      began = mpi_wtime()
      call start(me)
      name = 'steps'
      do 10 i = 1, n
         u(i) = mod(i * 37, 101)
         v(i) = 0
   10 continue
      call mpi_op_create(pick, .true., larger, ierr)
      call mpi_send_init(u, 1, row, me, 5, ring, request(1), ierr)
      call mpi_recv_init(v, 1, row, me, 5, ring, request(2), ierr)
      do 40 step = 1, steps
         call mpi_startall(2, request, ierr)
         call mpi_waitall(2, request, status, ierr)
         if (status(MPI_TAG, 2) .ne. 5) call fail('tag', ierr)
         do 20 i = 2, n - 1
            u(i) = 0.25d0 * (u(i - 1) + 2 * u(i) + u(i + 1))
   20    continue
         part = moved(u(2), n - 2)
         call mpi_allreduce(part, total, 1, MPI_DOUBLE_PRECISION,
     &                      MPI_SUM, ring, ierr)
         call mpi_reduce(me + step, most, 1, MPI_INTEGER, larger, 0,
     &                   ring, ierr)
         call note(step, calls)
         write (*, 100) name, step, calls, most, total, v(3), v(n)
   40 continue
  100 format (' ', a, i4, 2i6, 3f20.12)
      call mpi_op_free(larger, ierr)
      call mpi_request_free(request(1), ierr)
      call mpi_request_free(request(2), ierr)
      call mpi_type_free(row, ierr)
      call mpi_comm_free(ring, ierr)
      if (ring .ne. MPI_COMM_NULL) call fail('comm', ierr)
      if (mpi_wtime() .lt. began) call fail('time', ierr)
      call mpi_initialized(found, ierr)
      if (.not. found) call fail('init', ierr)
      call mpi_finalize(ierr)
      end

C     Every other element, as a datatype of MPI 1.
      subroutine start(me)
      implicit none
      include 'mpif.h'
      integer me, ring, row, ierr, bytes, lengths(2), places(2)
      integer types(2), i, one, pair
      common /handles/ ring, row
      call mpi_comm_dup(MPI_COMM_WORLD, ring, ierr)
      call mpi_comm_rank(ring, me, ierr)
      call mpi_type_extent(MPI_DOUBLE_PRECISION, bytes, ierr)
      do 10 i = 1, 2
         lengths(i) = 1
         places(i) = (i - 1) * bytes
         types(i) = MPI_DOUBLE_PRECISION
   10 continue
      call mpi_type_struct(2, lengths, places, types, pair, ierr)
      call mpi_type_hvector(1, 1, bytes, pair, one, ierr)
      call mpi_type_contiguous(200, one, row, ierr)
      call mpi_type_commit(row, ierr)
      call mpi_type_free(pair, ierr)
      call mpi_type_free(one, ierr)
      end

C     The sum, by way of the same memory under two names.
      double precision function moved(u, n)
      implicit none
      integer n, i
      double precision u(n), part(2), left, right
      equivalence (part(1), left), (part(2), right)
      left = 0
      right = 0
      do 10 i = 1, n
         part(1 + mod(i, 2)) = part(1 + mod(i, 2)) + u(i)
   10 continue
      moved = left - right
      end

C     An operation of the program's own.
      subroutine pick(in, inout, n, type)
      implicit none
      include 'mpif.h'
      integer n, in(n), inout(n), type, i, ierr
      if (type .ne. MPI_INTEGER) call fail('type', ierr)
      do 10 i = 1, n
         inout(i) = max(in(i), inout(i))
   10 continue
      end

C     How often it was called, kept in two ways.
      subroutine note(step, calls)
      implicit none
      integer step, calls, count
      double precision scale
      common /notes/ scale
      save count
      data count /100/
      count = count + 1
      calls = count + step
      end

      subroutine fail(what, ierr)
      implicit none
      include 'mpif.h'
      character*(*) what
      integer ierr
      write (*, *) 'wrong: ', what
      call mpi_abort(MPI_COMM_WORLD, 1, ierr)
      end
