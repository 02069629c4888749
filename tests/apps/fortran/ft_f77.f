C     The Fourier transform kernel of the NAS Parallel Benchmarks, after
C     its specification (NAS report RNR-94-007), class W, in Fortran 77
C     with COMMON blocks of a fixed size: see ft.c.
C
C     Real space, U: x, y, own z. Fourier space, SPEC: z, x, own y.
C
C     Live at the start of a time step: SPEC and ROOTS; in /PLACE/ where
C     the process is; the step's number, the checksums so far and how
C     far they were off.
C     Not live: DAMP and U, overwritten in each step; PACKED and GOT,
C     which exist within a transposition.
      PROGRAM FTF77
      INCLUDE 'mpif.h'
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      INTEGER IERR, STATUS
      LOGICAL APPEND
      EXTERNAL APPEND
      STEPS = 6
      CALL APPOPT('ft_f77', STEPS)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      IF (.NOT. APPEND(RANK, STATUS)) CALL SOLVE(STATUS)
      CALL MPI_FINALIZE(IERR)
      CALL EXIT(STATUS)
      END

C     All steps, over and over the six of the specification.
      SUBROUTINE SOLVE(STATUS)
      INCLUDE 'mpif.h'
      INTEGER STATUS
      INTEGER NX, NY, NZ
      PARAMETER (NX = 128, NY = 128, NZ = 32)
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      DOUBLE PRECISION EXPECT(2, 6), FOUND(2, 6), ERROR
      INTEGER T, N, APPTEL
      CHARACTER*80 REASON
      DATA EXPECT /567.3612178944D0, 529.3246849175D0,
     &             563.1436885271D0, 528.2149986629D0,
     &             559.4024089970D0, 527.0996558037D0,
     &             556.0698047020D0, 526.0027904925D0,
     &             553.0898991250D0, 524.9400845633D0,
     &             550.4159734538D0, 523.9212247086D0/
      IF (MOD(NZ, RANKS) .NE. 0) THEN
        IF (RANK .EQ. 0) WRITE (0, *) 'ft_f77: 32 planes cannot be cut'
        STATUS = 2
        RETURN
      END IF
      OWNY = NY / RANKS
      OWNZ = NZ / RANKS
      CALL START
      ERROR = 0D0
      DO 100 T = 1, STEPS
        CALL APPHLD(RANK, T - 1)
        N = MOD(T - 1, 6) + 1
        CALL EVOLVE(N)
        CALL LINESZ(1)
        CALL TOREAL
        CALL PLANES(1)
        CALL CHKSUM(FOUND(1, N))
        ERROR = MAX(ERROR, ABS(FOUND(1, N) / EXPECT(1, N) - 1D0),
     &              ABS(FOUND(2, N) / EXPECT(2, N) - 1D0))
  100 CONTINUE
      WRITE (REASON, '(A, E10.3)') 'checksums are off by ', ERROR
      STATUS = APPTEL(FOUND, 2 * MIN(STEPS, 6), MPI_COMM_WORLD,
     &                ERROR .LE. 1D-12, REASON)
      END

C     The random start, in Fourier space; the roots of one.
      SUBROUTINE START
      INTEGER NX, NY, NZ, NTOTAL
      PARAMETER (NX = 128, NY = 128, NZ = 32, NTOTAL = NX * NY * NZ)
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      DOUBLE COMPLEX SPEC(NTOTAL), DAMP(NTOTAL), U(NTOTAL)
      COMMON /FIELDS/ SPEC, DAMP, U
      DOUBLE COMPLEX ROOTS(0:NX-1)
      COMMON /TABLE/ ROOTS
      DOUBLE PRECISION X, A, FACTOR, RE, IM, RANDOM, ANGLE
      INTEGER I, LEFT
      X = 314159265D0
      FACTOR = 1220703125D0
      A = FACTOR
      LEFT = 2 * NX * NY * OWNZ * RANK
  100 IF (LEFT .GT. 0) THEN
        IF (MOD(LEFT, 2) .EQ. 1) RE = RANDOM(X, A)
        RE = RANDOM(A, A)
        LEFT = LEFT / 2
        GOTO 100
      END IF
      DO 200 I = 1, NX * NY * OWNZ
        RE = RANDOM(X, FACTOR)
        IM = RANDOM(X, FACTOR)
        U(I) = DCMPLX(RE, IM)
  200 CONTINUE
      DO 300 I = 0, NX - 1
        ANGLE = 6.283185307179586D0 * DBLE(I) / DBLE(NX)
        ROOTS(I) = DCMPLX(COS(ANGLE), SIN(ANGLE))
  300 CONTINUE
      CALL PLANES(-1)
      CALL TOFOUR
      DO 400 I = 1, NX * NZ * OWNY
        DAMP(I) = SPEC(I)
  400 CONTINUE
      CALL LINESZ(-1)
      DO 500 I = 1, NX * NZ * OWNY
        SPEC(I) = DAMP(I)
  500 CONTINUE
      END

C     X becomes A X mod 2**46, by halves of 23 bits; between 0 and 1.
      DOUBLE PRECISION FUNCTION RANDOM(X, A)
      DOUBLE PRECISION X, A, HALF, WHOLE, A1, A2, X1, X2, MIDDLE
      PARAMETER (HALF = 8388608D0, WHOLE = HALF * HALF)
      A1 = AINT(A / HALF)
      A2 = A - HALF * A1
      X1 = AINT(X / HALF)
      X2 = X - HALF * X1
      MIDDLE = A1 * X2 + A2 * X1
      MIDDLE = MIDDLE - HALF * AINT(MIDDLE / HALF)
      MIDDLE = HALF * MIDDLE + A2 * X2
      X = MIDDLE - WHOLE * AINT(MIDDLE / WHOLE)
      RANDOM = X / WHOLE
      END

C     Transforms N numbers, STRIDE apart, in place (Stockham).
      SUBROUTINE LINE(A, N, STRIDE, DIR)
      INTEGER NX
      PARAMETER (NX = 128)
      DOUBLE COMPLEX A(0:*)
      INTEGER N, STRIDE, DIR
      DOUBLE COMPLEX ROOTS(0:NX-1), W(0:NX-1, 0:1), ROOT
      COMMON /TABLE/ ROOTS
      INTEGER LENGTH, WIDTH, HALF, P, Q, I, J
      DO 100 I = 0, N - 1
        W(I, 0) = A(I * STRIDE)
  100 CONTINUE
      I = 0
      LENGTH = N
      WIDTH = 1
  200 IF (LENGTH .GT. 1) THEN
        HALF = LENGTH / 2
        J = 1 - I
        DO 400 P = 0, HALF - 1
          ROOT = ROOTS(P * (NX / LENGTH))
          IF (DIR .LT. 0) ROOT = DCONJG(ROOT)
          DO 300 Q = 0, WIDTH - 1
            W(2*P*WIDTH+Q, J) = W(P*WIDTH+Q, I)
     &                        + W((P+HALF)*WIDTH+Q, I)
            W((2*P+1)*WIDTH+Q, J) = (W(P*WIDTH+Q, I)
     &                            - W((P+HALF)*WIDTH+Q, I)) * ROOT
  300     CONTINUE
  400   CONTINUE
        I = J
        LENGTH = HALF
        WIDTH = 2 * WIDTH
        GOTO 200
      END IF
      DO 500 J = 0, N - 1
        A(J * STRIDE) = W(J, I)
  500 CONTINUE
      END

C     In x and y, of the planes in real space.
      SUBROUTINE PLANES(DIR)
      INTEGER DIR
      INTEGER NX, NY, NZ, NTOTAL
      PARAMETER (NX = 128, NY = 128, NZ = 32, NTOTAL = NX * NY * NZ)
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      DOUBLE COMPLEX SPEC(NTOTAL), DAMP(NTOTAL), U(NX, NY, NZ)
      COMMON /FIELDS/ SPEC, DAMP, U
      INTEGER I, Z
      DO 300 Z = 1, OWNZ
        DO 100 I = 1, NY
          CALL LINE(U(1, I, Z), NX, 1, DIR)
  100   CONTINUE
        DO 200 I = 1, NX
          CALL LINE(U(I, 1, Z), NY, NX, DIR)
  200   CONTINUE
  300 CONTINUE
      END

C     In z, in Fourier space.
      SUBROUTINE LINESZ(DIR)
      INTEGER DIR
      INTEGER NX, NY, NZ, NTOTAL
      PARAMETER (NX = 128, NY = 128, NZ = 32, NTOTAL = NX * NY * NZ)
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      DOUBLE COMPLEX SPEC(NTOTAL), DAMP(NZ, NX, NY), U(NTOTAL)
      COMMON /FIELDS/ SPEC, DAMP, U
      INTEGER X, Y
      DO 200 Y = 1, OWNY
        DO 100 X = 1, NX
          CALL LINE(DAMP(1, X, Y), NZ, 1, DIR)
  100   CONTINUE
  200 CONTINUE
      END

C     What is left of each frequency at time T.
      SUBROUTINE EVOLVE(T)
      INTEGER T
      INTEGER NX, NY, NZ, NTOTAL
      PARAMETER (NX = 128, NY = 128, NZ = 32, NTOTAL = NX * NY * NZ)
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      DOUBLE COMPLEX SPEC(NZ, NX, NY), DAMP(NZ, NX, NY), U(NTOTAL)
      COMMON /FIELDS/ SPEC, DAMP, U
      DOUBLE PRECISION INX(NX), INY(NY), INZ(NZ), LEFT
      INTEGER X, Y, Z, F, I, N, TIME
      LEFT(F, N, TIME) = EXP(-4D-6 * 3.141592653589793D0**2
     &  * DBLE(F - N * (2 * F / N))**2 * DBLE(TIME))
      DO 100 I = 1, NX
        INX(I) = LEFT(I - 1, NX, T)
  100 CONTINUE
      DO 200 I = 1, OWNY
        INY(I) = LEFT(RANK * OWNY + I - 1, NY, T)
  200 CONTINUE
      DO 300 I = 1, NZ
        INZ(I) = LEFT(I - 1, NZ, T)
  300 CONTINUE
      DO 600 Y = 1, OWNY
        DO 500 X = 1, NX
          DO 400 Z = 1, NZ
            DAMP(Z, X, Y) = SPEC(Z, X, Y) * (INY(Y) * INX(X) * INZ(Z))
  400     CONTINUE
  500   CONTINUE
  600 CONTINUE
      END

C     From real to Fourier space, everybody with everybody.
      SUBROUTINE TOFOUR
      INCLUDE 'mpif.h'
      INTEGER NX, NY, NZ, NTOTAL
      PARAMETER (NX = 128, NY = 128, NZ = 32, NTOTAL = NX * NY * NZ)
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      DOUBLE COMPLEX SPEC(NZ, NX, NY), DAMP(NTOTAL), U(NX, NY, NZ)
      COMMON /FIELDS/ SPEC, DAMP, U
      DOUBLE COMPLEX PACKED(NTOTAL), GOT(NTOTAL)
      COMMON /BUFFER/ PACKED, GOT
      INTEGER X, Y, Z, R, I, IERR
      I = 0
      DO 400 R = 0, RANKS - 1
        DO 300 Z = 1, OWNZ
          DO 200 Y = 1, OWNY
            DO 100 X = 1, NX
              I = I + 1
              PACKED(I) = U(X, R * OWNY + Y, Z)
  100       CONTINUE
  200     CONTINUE
  300   CONTINUE
  400 CONTINUE
      CALL MPI_ALLTOALL(PACKED, NX * OWNY * OWNZ, MPI_DOUBLE_COMPLEX,
     &                  GOT, NX * OWNY * OWNZ, MPI_DOUBLE_COMPLEX,
     &                  MPI_COMM_WORLD, IERR)
      I = 0
      DO 800 R = 0, RANKS - 1
        DO 700 Z = 1, OWNZ
          DO 600 Y = 1, OWNY
            DO 500 X = 1, NX
              I = I + 1
              SPEC(R * OWNZ + Z, X, Y) = GOT(I)
  500       CONTINUE
  600     CONTINUE
  700   CONTINUE
  800 CONTINUE
      END

C     From Fourier to real space.
      SUBROUTINE TOREAL
      INCLUDE 'mpif.h'
      INTEGER NX, NY, NZ, NTOTAL
      PARAMETER (NX = 128, NY = 128, NZ = 32, NTOTAL = NX * NY * NZ)
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      DOUBLE COMPLEX SPEC(NTOTAL), DAMP(NZ, NX, NY), U(NX, NY, NZ)
      COMMON /FIELDS/ SPEC, DAMP, U
      DOUBLE COMPLEX PACKED(NTOTAL), GOT(NTOTAL)
      COMMON /BUFFER/ PACKED, GOT
      INTEGER X, Y, Z, R, I, IERR
      I = 0
      DO 400 R = 0, RANKS - 1
        DO 300 Z = 1, OWNZ
          DO 200 Y = 1, OWNY
            DO 100 X = 1, NX
              I = I + 1
              PACKED(I) = DAMP(R * OWNZ + Z, X, Y)
  100       CONTINUE
  200     CONTINUE
  300   CONTINUE
  400 CONTINUE
      CALL MPI_ALLTOALL(PACKED, NX * OWNY * OWNZ, MPI_DOUBLE_COMPLEX,
     &                  GOT, NX * OWNY * OWNZ, MPI_DOUBLE_COMPLEX,
     &                  MPI_COMM_WORLD, IERR)
      I = 0
      DO 800 R = 0, RANKS - 1
        DO 700 Z = 1, OWNZ
          DO 600 Y = 1, OWNY
            DO 500 X = 1, NX
              I = I + 1
              U(X, R * OWNY + Y, Z) = GOT(I)
  500       CONTINUE
  600     CONTINUE
  700   CONTINUE
  800 CONTINUE
      END

C     The sum of 1024 points of all ranks, real and imaginary part.
      SUBROUTINE CHKSUM(SUM)
      INCLUDE 'mpif.h'
      DOUBLE PRECISION SUM(2), OWN(2)
      INTEGER NX, NY, NZ, NTOTAL
      PARAMETER (NX = 128, NY = 128, NZ = 32, NTOTAL = NX * NY * NZ)
      INTEGER RANK, RANKS, OWNY, OWNZ, STEPS
      COMMON /PLACE/ RANK, RANKS, OWNY, OWNZ, STEPS
      DOUBLE COMPLEX SPEC(NTOTAL), DAMP(NTOTAL), U(NX, NY, NZ), MINE
      COMMON /FIELDS/ SPEC, DAMP, U
      INTEGER J, Z, IERR
      MINE = (0D0, 0D0)
      DO 100 J = 1, 1024
        Z = MOD(5 * J, NZ) - RANK * OWNZ
        IF (Z .LT. 0 .OR. Z .GE. OWNZ) GOTO 100
        MINE = MINE + U(MOD(J, NX) + 1, MOD(3 * J, NY) + 1, Z + 1)
  100 CONTINUE
      OWN(1) = DBLE(MINE) / DBLE(NTOTAL)
      OWN(2) = DIMAG(MINE) / DBLE(NTOTAL)
      CALL MPI_ALLREDUCE(OWN, SUM, 2, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      END
