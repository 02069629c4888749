C     Work arrays in COMMON that subroutines overwrite in each step, by dummies of adjustable size: all in one nest, in
C     blocks, or by one of two ways that is known at run time only.
      program transposed
      implicit none
      include 'mpif.h'
      integer m, n
      parameter (m = 64, n = 48)
      double precision kept(m*n), work(m*n), turned(m*n), spare(m*n)
      integer dims(2, 2), block, way
      common /arrays/ kept, work, turned, spare
      common /layout/ dims, block, way
      integer step, ierr, i
      double precision total
      call mpi_init(ierr)
      dims(1, 1) = m
      dims(2, 1) = n
      dims(1, 2) = n
      dims(2, 2) = m
      block = 8
      way = 1
      do 10 i = 1, m*n
        kept(i) = mod(i, 17)
        spare(i) = i
        turned(i) = 0.0
 10   continue
      total = spare(7)
      do 20 step = 1, 5
        call mpi_barrier(mpi_comm_world, ierr)
        call advance(kept, work, dims(1, 1), dims(2, 1))
        call turn(work, turned)
        call sum_up(turned, dims(1, 2), dims(2, 2), total)
 20   continue
      write (*, '(f20.4)') total + kept(3)
      call mpi_finalize(ierr)
      end

      subroutine advance(u, v, d1, d2)
      implicit none
      integer d1, d2, i, j
      double precision u(d1, d2), v(d1, d2)
      do j = 1, d2
        do i = 1, d1
          u(i, j) = u(i, j)*0.5 + j
          v(i, j) = u(i, j) - i
        end do
      end do
      end

      subroutine turn(x, y)
      implicit none
      integer dims(2, 2), block, way
      common /layout/ dims, block, way
      double precision x(*), y(*)
      if (way .eq. 1) then
        call turn_blocks(dims(1, 1), dims(2, 1), x, y)
      else
        call turn_all(dims(1, 1), dims(2, 1), x, y)
      end if
      end

      subroutine turn_all(n1, n2, x, y)
      implicit none
      integer n1, n2, i, j
      double precision x(n1, n2), y(n2, n1)
      do i = 1, n1
        do j = 1, n2
          y(j, i) = x(i, j)
        end do
      end do
      end

      subroutine turn_blocks(n1, n2, x, y)
      implicit none
      integer n1, n2, i, j, ii, jj, width
      parameter (width = 16)
      double precision x(n1, n2), y(n2, n1), z(width, width)
      do j = 0, n2 - 1, width
        do i = 0, n1 - 1, width
          do jj = 1, width
            do ii = 1, width
              z(jj, ii) = x(i + ii, j + jj)
            end do
          end do
          do ii = 1, width
            do jj = 1, width
              y(j + jj, i + ii) = z(jj, ii)
            end do
          end do
        end do
      end do
      end

      subroutine sum_up(y, n1, n2, total)
      implicit none
      integer n1, n2, i, j
      double precision y(n1, n2), total
      do 30 j = 1, n2
        do 40 i = 1, n1
          total = total + y(i, j)*1.0d-3
 40     continue
 30   continue
      end
