C     An implicit solver in the manner of the simulated applications BT
C     and SP of the NAS Parallel Benchmarks (NAS report RNR-94-007,
C     section 3), in Fortran 77: a flow of five components in a cube,
C     by approximate factorization. In each time step lines of blocks
C     of 5 x 5 are solved in x, in y and in z. What drives the flow is
C     such that a known solution is steady, which must be approached.
C
C     The cube is cut in y and z. Sweeps in these directions go through
C     the ranks one behind the other, plane by plane.
C
C     Live at the start of a time step: U, with its rim; FORCE; CE; in
C     /PLACE/ where the process is; STEPS, the step's number, the error
C     at the start and the last one.
C     Not live: RHS, RHOI and PRESS, computed anew; CC, which exists
C     within a sweep; SENT and GOT, within an exchange.
      PROGRAM ADI
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      INTEGER STEPS, IERR, STATUS
      LOGICAL APPEND
      EXTERNAL APPEND, COEFFI
      STEPS = 20
      CALL APPOPT('adi_f77', STEPS)
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, RANKS, IERR)
      IF (.NOT. APPEND(RANK, STATUS)) CALL FLOW(STEPS, STATUS)
      CALL MPI_FINALIZE(IERR)
      CALL EXIT(STATUS)
      END

      BLOCK DATA COEFFI
      INCLUDE 'adi_f77.inc'
      DATA CE /1.5D0,  0.2D0,  0.1D0, -0.1D0,  4.0D0,
     &         0.2D0,  0.1D0,  0.0D0,  0.05D0, 0.3D0,
     &        -0.1D0,  0.05D0, 0.1D0,  0.0D0,  0.2D0,
     &         0.1D0,  0.0D0,  0.05D0, 0.1D0, -0.2D0,
     &         0.1D0, -0.1D0,  0.1D0, -0.05D0, 0.1D0,
     &        -0.1D0,  0.1D0, -0.1D0,  0.1D0,  0.2D0,
     &         0.05D0, 0.1D0,  0.05D0,-0.1D0, -0.1D0,
     &         0.1D0, -0.05D0, 0.1D0,  0.05D0, 0.1D0,
     &        -0.05D0, 0.1D0,  0.0D0,  0.1D0, -0.1D0,
     &         0.05D0, 0.05D0,-0.1D0,  0.1D0,  0.1D0/
      END

C     All steps, and the check.
      SUBROUTINE FLOW(STEPS, STATUS)
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      INTEGER STEPS, STATUS, T, COUNT, APPTEL
      DOUBLE PRECISION FIRST, LAST, BOUND, ERRORS
      CHARACTER*80 REASON
      CALL DIVIDE
      CALL START
      FIRST = ERRORS()
      LAST = FIRST
      DO 100 T = 1, STEPS
        CALL APPHLD(RANK, T - 1)
        CALL SWAP
        CALL STATES
        CALL RESIDU
        CALL XSOLVE
        CALL YSOLVE
        CALL ZSOLVE
        CALL ADD
        LAST = ERRORS()
  100 CONTINUE
      BOUND = FIRST * 0.97D0**STEPS + 1D-12
      WRITE (REASON, '(A, E10.3, A, E10.3)') 'the error is ', LAST,
     &  ' and was ', FIRST
      CALL PACK(CC, COUNT)
      STATUS = APPTEL(CC, COUNT, MPI_COMM_WORLD, LAST .LE. BOUND,
     &                REASON)
      CALL MPI_COMM_FREE(GRID, IERR)
      END

C     Cuts the cube among the ranks.
      SUBROUTINE DIVIDE
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      INTEGER PARTS(2), AT(2), IERR
      LOGICAL PERIOD(2)
      PARTS(1) = 0
      PARTS(2) = 0
      PERIOD(1) = .FALSE.
      PERIOD(2) = .FALSE.
      CALL MPI_DIMS_CREATE(RANKS, 2, PARTS, IERR)
      CALL MPI_CART_CREATE(MPI_COMM_WORLD, 2, PARTS, PERIOD, .FALSE.,
     &                     GRID, IERR)
      CALL MPI_CART_COORDS(GRID, RANK, 2, AT, IERR)
      CALL MPI_CART_SHIFT(GRID, 0, 1, KPREV, KNEXT, IERR)
      CALL MPI_CART_SHIFT(GRID, 1, 1, JPREV, JNEXT, IERR)
      KFIRST = N * AT(1) / PARTS(1)
      NK = N * (AT(1) + 1) / PARTS(1) - KFIRST
      JFIRST = N * AT(2) / PARTS(2)
      NJ = N * (AT(2) + 1) / PARTS(2) - JFIRST
      END

C     The exact solution at the point I, J, K of the own part.
      SUBROUTINE EXACT(I, J, K, E)
      INCLUDE 'adi_f77.inc'
      INTEGER I, J, K, M
      DOUBLE PRECISION E(5), X, Y, Z
      X = I * H
      Y = (JFIRST + J) * H
      Z = (KFIRST + K) * H
      DO 100 M = 1, 5
        E(M) = CE(M,1)
     &    + X * (CE(M,2) + X * (CE(M,5) + X * CE(M,8)))
     &    + Y * (CE(M,3) + Y * (CE(M,6) + Y * CE(M,9)))
     &    + Z * (CE(M,4) + Z * (CE(M,7) + Z * CE(M,10)))
  100 CONTINUE
      END

C     FORCE makes the exact solution steady. U is that at first, but
C     for a bump.
      SUBROUTINE START
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION BUMP, X, Y, Z
      INTEGER I, J, K, M
      BUMP(X, Y, Z) = 6.4D0 * X * (1D0 - X) * Y * (1D0 - Y)
     &                      * Z * (1D0 - Z)
      DO 300 K = 0, NK + 1
        DO 200 J = 0, NJ + 1
          DO 100 I = 0, N + 1
            CALL EXACT(I, J, K, U(1,I,J,K))
  100     CONTINUE
  200   CONTINUE
  300 CONTINUE
      DO 700 K = 1, NK
        DO 600 J = 1, NJ
          DO 500 I = 1, N
            DO 400 M = 1, 5
              FORCE(M,I,J,K) = 0D0
  400       CONTINUE
  500     CONTINUE
  600   CONTINUE
  700 CONTINUE
      CALL STATES
      CALL RESIDU
      DO 1100 K = 1, NK
        DO 1000 J = 1, NJ
          DO 900 I = 1, N
            DO 800 M = 1, 5
              FORCE(M,I,J,K) = -RHS(M,I,J,K) / DT
              U(M,I,J,K) = U(M,I,J,K)
     &          + BUMP(I * H, (JFIRST + J) * H, (KFIRST + K) * H)
  800       CONTINUE
  900     CONTINUE
 1000   CONTINUE
 1100 CONTINUE
      END

C     How far U is from the exact solution, on average of all ranks.
      DOUBLE PRECISION FUNCTION ERRORS()
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION E(5), OWN, ALL
      INTEGER I, J, K, M, IERR
      OWN = 0D0
      DO 400 K = 1, NK
        DO 300 J = 1, NJ
          DO 200 I = 1, N
            CALL EXACT(I, J, K, E)
            DO 100 M = 1, 5
              OWN = OWN + (U(M,I,J,K) - E(M))**2
  100       CONTINUE
  200     CONTINUE
  300   CONTINUE
  400 CONTINUE
      CALL MPI_ALLREDUCE(OWN, ALL, 1, MPI_DOUBLE_PRECISION, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      ERRORS = SQRT(ALL / (5D0 * N**3))
      END

C     Adds the change to U.
      SUBROUTINE ADD
      INCLUDE 'adi_f77.inc'
      INTEGER I, J, K, M
      DO 400 K = 1, NK
        DO 300 J = 1, NJ
          DO 200 I = 1, N
            DO 100 M = 1, 5
              U(M,I,J,K) = U(M,I,J,K) + RHS(M,I,J,K)
  100       CONTINUE
  200     CONTINUE
  300   CONTINUE
  400 CONTINUE
      END

C     The own part of U, its COUNT numbers one after the other.
      SUBROUTINE PACK(TO, COUNT)
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION TO(*)
      INTEGER COUNT, I, J, K, M
      COUNT = 0
      DO 400 K = 1, NK
        DO 300 J = 1, NJ
          DO 200 I = 1, N
            DO 100 M = 1, 5
              COUNT = COUNT + 1
              TO(COUNT) = U(M,I,J,K)
  100       CONTINUE
  200     CONTINUE
  300   CONTINUE
  400 CONTINUE
      END
