C     Lines of blocks, which a procedure fills one by one, each with the
C     one before: as in an elimination. The helper in C is given an
C     array at the end, and another one before.
      PROGRAM LINES
      INCLUDE 'mpif.h'
      INTEGER N, M
      PARAMETER (N = 10, M = 4)
      DOUBLE PRECISION C(5,5,N,M), R(5,5,N,M), HOLE(5,5,N,M), TOTAL
      DOUBLE PRECISION EARLY(600), PACKED(5000), SUM
      COMMON /BLOCKS/ C, R, HOLE, EARLY, PACKED
      INTEGER NROWS, NLINES, STEP, I, J, K, L, IERR
      COMMON /SIZES/ NROWS, NLINES
      CALL MPI_INIT(IERR)
      NROWS = N
      NLINES = M
      TOTAL = 0D0
      DO 20 I = 1, 600
        EARLY(I) = I
   20 CONTINUE
      DO 40 I = 1, 5000
        PACKED(I) = I
   40 CONTINUE
      CALL FILLIN(C, 25 * N * M)
      CALL FILLIN(R, 25 * N * M)
      CALL FILLIN(HOLE, 25 * N * M)
      CALL KEEP(EARLY)
      DO 500 STEP = 1, 4
        CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
        CALL HELPER(SUM)
        TOTAL = TOTAL + SUM
        DO 200 J = 1, NLINES
          CALL ROW(R(1,1,1,J), R(1,1,1,J), C(1,1,1,J), STEP)
          DO 100 I = 2, NROWS
            CALL ROW(C(1,1,I-1,J), R(1,1,I-1,J), C(1,1,I,J), I)
  100     CONTINUE
          DO 150 I = NROWS - 1, 1, -1
            R(1,1,I,J) = R(1,1,I,J) + C(5,5,I,J)
  150     CONTINUE
  200   CONTINUE
        DO 300 J = 1, NLINES
          CALL ROW(R(1,1,1,J), R(1,1,1,J), HOLE(1,1,1,J), STEP)
          DO 250 I = 3, NROWS
            CALL ROW(HOLE(1,1,I-1,J), R(1,1,I-1,J), HOLE(1,1,I,J), I)
  250     CONTINUE
  300   CONTINUE
        L = 0
        DO 380 K = 1, NLINES
          DO 360 I = 1, NROWS
            DO 340 J = 1, 5
              L = L + 1
              PACKED(L) = C(J,J,I,K) + HOLE(1,J,I,K)
  340       CONTINUE
  360     CONTINUE
  380   CONTINUE
        DO 400 I = 1, L
          TOTAL = TOTAL + PACKED(I)
  400   CONTINUE
        DO 420 I = 1, 600
          EARLY(I) = STEP
  420   CONTINUE
  500 CONTINUE
      CALL KEEP(C)
      CALL HELPER(SUM)
      PRINT '(F24.6)', TOTAL + SUM
      CALL MPI_FINALIZE(IERR)
      END

      SUBROUTINE FILLIN(X, N)
      INTEGER N, I
      DOUBLE PRECISION X(N)
      DO 100 I = 1, N
        X(I) = 1D0 / I
  100 CONTINUE
      END

      SUBROUTINE START(A, D)
      DOUBLE PRECISION A(5,5)
      INTEGER D, I, J
      DO 200 J = 1, 5
        DO 100 I = 1, 5
          A(I,J) = 0D0
  100   CONTINUE
  200 CONTINUE
      A(1,1) = D
      END

      SUBROUTINE ROW(BEFORE, RIGHT, OWN, D)
      DOUBLE PRECISION BEFORE(5,5), RIGHT(5,5), OWN(5,5), LOCAL(5,5)
      INTEGER D, I, J
      CALL START(LOCAL, D)
      CALL START(OWN, D)
      DO 200 J = 1, 5
        DO 100 I = 1, 5
          OWN(I,J) = OWN(I,J) + 0.5D0 * BEFORE(J,I) + LOCAL(I,J)
     &             + 0.1D0 * RIGHT(I,J)
  100   CONTINUE
  200 CONTINUE
      END
