C     Loops that end with labels: places that nothing jumps to, and one
C     to which something does.
      PROGRAM LABELS
      INCLUDE 'mpif.h'
      INTEGER N
      PARAMETER (N = 2000)
      DOUBLE PRECISION FILLED(N), PARTLY(N), TOTAL
      COMMON /ARRAYS/ FILLED, PARTLY
      INTEGER STEP, I, IERR
      CALL MPI_INIT(IERR)
      TOTAL = 0D0
      DO 100 I = 1, N
        FILLED(I) = I
        PARTLY(I) = I
  100 CONTINUE
      DO 500 STEP = 1, 4
        CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
        DO 200 I = 1, N
          FILLED(I) = STEP
  200   CONTINUE
        DO 300 I = 1, N
          IF (MOD(I, 3) .EQ. 0) GOTO 300
          PARTLY(I) = STEP
  300   CONTINUE
        DO 400 I = 1, N
          TOTAL = TOTAL + FILLED(I) + PARTLY(I)
  400   CONTINUE
  500 CONTINUE
      PRINT '(F20.3)', TOTAL
      CALL MPI_FINALIZE(IERR)
      END
