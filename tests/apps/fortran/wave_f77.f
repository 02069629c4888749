C     A wave on a ring of points, in Fortran 77: COMMON blocks,
C     EQUIVALENCE, DATA, SAVE, BLOCK DATA, a statement function, a
C     computed GOTO.
C
C     With a time step of one point per step, each value is the sum of
C     its neighbours' less its own of the step before: whole numbers,
C     so after T steps the first values have travelled T points exactly.
      PROGRAM WAVE
      INCLUDE 'mpif.h'
      INTEGER RANK, RANKS, FIRST, COUNT, STEPS, LEFT, RIGHT
      COMMON /PLACE/ RANK, RANKS, FIRST, COUNT, STEPS, LEFT, RIGHT
      INTEGER IERR, STATUS
      LOGICAL APPEND
      EXTERNAL APPEND, FIXED
      STEPS = 300
      CALL APPOPT('wave_f77', STEPS)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      IF (.NOT. APPEND(RANK, STATUS)) CALL TRAVEL(STATUS)
      CALL MPI_FINALIZE(IERR)
      CALL EXIT(STATUS)
      END

      BLOCK DATA FIXED
      INTEGER POINTS, PERIOD
      DOUBLE PRECISION SCALE(3)
      CHARACTER*8 WORDS(3)
      COMMON /SIZES/ POINTS, PERIOD, SCALE
      COMMON /NAMES/ WORDS
      DATA POINTS, PERIOD /2400, 101/
      DATA SCALE /1.0D0, 2.0D0, 4.0D0/
      DATA WORDS /'first', 'second', 'third'/
      END

C     All steps, and the check.
      SUBROUTINE TRAVEL(STATUS)
      INCLUDE 'mpif.h'
      INTEGER STATUS
      INTEGER MAXPTS
      PARAMETER (MAXPTS = 2400)
      INTEGER RANK, RANKS, FIRST, COUNT, STEPS, LEFT, RIGHT
      COMMON /PLACE/ RANK, RANKS, FIRST, COUNT, STEPS, LEFT, RIGHT
      INTEGER POINTS, PERIOD
      DOUBLE PRECISION SCALE(3)
      COMMON /SIZES/ POINTS, PERIOD, SCALE
      DOUBLE PRECISION A(0:MAXPTS+1), B(0:MAXPTS+1), C(0:MAXPTS+1)
      COMMON /FIELD/ A, B, C
C     The same memory, one array after the other.
      DOUBLE PRECISION ALL(3*(MAXPTS+2))
      EQUIVALENCE (ALL(1), A(0))
      DOUBLE PRECISION F, OWN(2), SUMS(2), EXPECT
      INTEGER I, T, IERR, WRONG, BASE, CALLS, APPTEL
      CHARACTER*80 REASON
      SAVE WRONG
      DATA WRONG /0/
      F(I) = SCALE(1) * DBLE(MOD(I * 37 + I / 7, PERIOD) - 50)

      FIRST = POINTS * RANK / RANKS
      COUNT = POINTS * (RANK + 1) / RANKS - FIRST
      LEFT = MOD(RANK + RANKS - 1, RANKS)
      RIGHT = MOD(RANK + 1, RANKS)
C     The step before the first one is A, the first one is B.
      DO 100 I = 1, COUNT
        A(I) = F(MOD(FIRST + I, POINTS))
        B(I) = F(MOD(FIRST + I - 1, POINTS))
  100 CONTINUE
      DO 200 T = 1, STEPS
        CALL APPHLD(RANK, T - 1)
        GOTO (110, 120, 130), MOD(T - 1, 3) + 1
  110   CALL ADVANC(A, B, C)
        GOTO 190
  120   CALL ADVANC(B, C, A)
        GOTO 190
  130   CALL ADVANC(C, A, B)
  190   CONTINUE
        CALL NOTE(T, CALLS)
        IF (CALLS .NE. T) WRONG = WRONG + 1
  200 CONTINUE
C     The last step is in C, A or B: by its place in all of them.
      BASE = MOD(STEPS + 1, 3) * (MAXPTS + 2) + 1
      DO 300 I = 1, COUNT
        EXPECT = F(MOD(FIRST + I - 1 - MOD(STEPS, POINTS) + POINTS,
     &             POINTS))
        IF (ABS(ALL(BASE+I) - EXPECT) .GT. 0D0) WRONG = WRONG + 1
  300 CONTINUE
      OWN(1) = WRONG
      OWN(2) = ALL(BASE + 1)
      CALL MPI_ALLREDUCE(OWN, SUMS, 2, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      WRITE (REASON, '(I10, A)') NINT(SUMS(1)), ' points are wrong'
      STATUS = APPTEL(ALL(BASE + 1), COUNT, MPI_COMM_WORLD,
     &                SUMS(1) .LT. 0.5D0, REASON)
      END

C     From two steps the next one.
      SUBROUTINE ADVANC(BEFORE, NOW, NEXT)
      INCLUDE 'mpif.h'
      DOUBLE PRECISION BEFORE(0:*), NOW(0:*), NEXT(0:*)
      INTEGER RANK, RANKS, FIRST, COUNT, STEPS, LEFT, RIGHT
      COMMON /PLACE/ RANK, RANKS, FIRST, COUNT, STEPS, LEFT, RIGHT
      INTEGER I, IERR, STAT(MPI_STATUS_SIZE)
      CALL MPI_SENDRECV(NOW(1), 1, MPI_DOUBLE_PRECISION, LEFT, 1,
     &                  NOW(COUNT+1), 1, MPI_DOUBLE_PRECISION, RIGHT, 1,
     &                  MPI_COMM_WORLD, STAT, IERR)
      CALL MPI_SENDRECV(NOW(COUNT), 1, MPI_DOUBLE_PRECISION, RIGHT, 2,
     &                  NOW(0), 1, MPI_DOUBLE_PRECISION, LEFT, 2,
     &                  MPI_COMM_WORLD, STAT, IERR)
      DO 100 I = 1, COUNT
        NEXT(I) = NOW(I-1) + NOW(I+1) - BEFORE(I)
  100 CONTINUE
      END

C     Counts its calls, in memory of its own, and checks its words.
      SUBROUTINE NOTE(T, CALLS)
      INTEGER T, CALLS, KEPT
      CHARACTER*8 WORDS(3), BEFORE
      COMMON /NAMES/ WORDS
      SAVE KEPT, BEFORE
      DATA KEPT /0/, BEFORE /'first'/
      IF (BEFORE .EQ. WORDS(MOD(T - 1, 3) + 1)) KEPT = KEPT + 1
      BEFORE = WORDS(MOD(T, 3) + 1)
      CALLS = KEPT
      END
