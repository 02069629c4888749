C     The right-hand side of adi_f77: faces of the neighbours, states of
C     the points, differences.

C     Fetches the layers of U at the edges of the own part.
      SUBROUTINE SWAP
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      INTEGER WITH(4), REQS(8), F, IERR
      INTEGER STATS(MPI_STATUS_SIZE,8)
      WITH(1) = JPREV
      WITH(2) = JNEXT
      WITH(3) = KPREV
      WITH(4) = KNEXT
      CALL YFACE(1, SENT(1,1,1,1))
      CALL YFACE(NJ, SENT(1,1,1,2))
      CALL ZFACE(1, SENT(1,1,1,3))
      CALL ZFACE(NK, SENT(1,1,1,4))
      DO 100 F = 1, 4
        CALL MPI_IRECV(GOT(1,1,1,F), 5 * N * N, MPI_DOUBLE_PRECISION,
     &                 WITH(F), (F + 1) / 2, GRID, REQS(F), IERR)
        CALL MPI_ISEND(SENT(1,1,1,F), 5 * N * N, MPI_DOUBLE_PRECISION,
     &                 WITH(F), (F + 1) / 2, GRID, REQS(4+F), IERR)
  100 CONTINUE
      CALL MPI_WAITALL(8, REQS, STATS, IERR)
      IF (JPREV .NE. MPI_PROC_NULL) CALL YRIM(0, GOT(1,1,1,1))
      IF (JNEXT .NE. MPI_PROC_NULL) CALL YRIM(NJ + 1, GOT(1,1,1,2))
      IF (KPREV .NE. MPI_PROC_NULL) CALL ZRIM(0, GOT(1,1,1,3))
      IF (KNEXT .NE. MPI_PROC_NULL) CALL ZRIM(NK + 1, GOT(1,1,1,4))
      END

      SUBROUTINE YFACE(J, TO)
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION TO(5,N,N)
      INTEGER I, J, K, M
      DO 300 K = 1, NK
        DO 200 I = 1, N
          DO 100 M = 1, 5
            TO(M,I,K) = U(M,I,J,K)
  100     CONTINUE
  200   CONTINUE
  300 CONTINUE
      END

      SUBROUTINE ZFACE(K, TO)
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION TO(5,N,N)
      INTEGER I, J, K, M
      DO 300 J = 1, NJ
        DO 200 I = 1, N
          DO 100 M = 1, 5
            TO(M,I,J) = U(M,I,J,K)
  100     CONTINUE
  200   CONTINUE
  300 CONTINUE
      END

      SUBROUTINE YRIM(J, FROM)
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION FROM(5,N,N)
      INTEGER I, J, K, M
      DO 300 K = 1, NK
        DO 200 I = 1, N
          DO 100 M = 1, 5
            U(M,I,J,K) = FROM(M,I,K)
  100     CONTINUE
  200   CONTINUE
  300 CONTINUE
      END

      SUBROUTINE ZRIM(K, FROM)
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION FROM(5,N,N)
      INTEGER I, J, K, M
      DO 300 J = 1, NJ
        DO 200 I = 1, N
          DO 100 M = 1, 5
            U(M,I,J,K) = FROM(M,I,J)
  100     CONTINUE
  200   CONTINUE
  300 CONTINUE
      END

C     One over the density, and the pressure, of a gas with a ratio of
C     specific heats of 1.4.
      SUBROUTINE STATES
      INCLUDE 'adi_f77.inc'
      INTEGER I, J, K
      DO 300 K = 0, NK + 1
        DO 200 J = 0, NJ + 1
          DO 100 I = 0, N + 1
            RHOI(I,J,K) = 1D0 / U(1,I,J,K)
            PRESS(I,J,K) = 0.4D0 * (U(5,I,J,K) - 0.5D0 * RHOI(I,J,K)
     &        * (U(2,I,J,K)**2 + U(3,I,J,K)**2 + U(4,I,J,K)**2))
  100     CONTINUE
  200   CONTINUE
  300 CONTINUE
      END

C     The flux of the state V in direction D.
      SUBROUTINE FLUX(V, RI, P, D, F)
      DOUBLE PRECISION V(5), RI, P, F(5), SPEED
      INTEGER D
      SPEED = V(D+1) * RI
      F(1) = V(D+1)
      F(2) = V(2) * SPEED
      F(3) = V(3) * SPEED
      F(4) = V(4) * SPEED
      F(D+1) = F(D+1) + P
      F(5) = (V(5) + P) * SPEED
      END

C     What changes U in a time step: flux, diffusion and FORCE.
      SUBROUTINE RESIDU
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION BEFORE(5), AFTER(5)
      INTEGER I, J, K, M, D, DI, DJ, DK
      DO 500 K = 1, NK
        DO 400 J = 1, NJ
          DO 300 I = 1, N
            DO 50 M = 1, 5
              RHS(M,I,J,K) = FORCE(M,I,J,K)
   50       CONTINUE
            DO 200 D = 1, 3
              DI = 0
              DJ = 0
              DK = 0
              IF (D .EQ. 1) DI = 1
              IF (D .EQ. 2) DJ = 1
              IF (D .EQ. 3) DK = 1
              CALL FLUX(U(1,I-DI,J-DJ,K-DK), RHOI(I-DI,J-DJ,K-DK),
     &                  PRESS(I-DI,J-DJ,K-DK), D, BEFORE)
              CALL FLUX(U(1,I+DI,J+DJ,K+DK), RHOI(I+DI,J+DJ,K+DK),
     &                  PRESS(I+DI,J+DJ,K+DK), D, AFTER)
              DO 100 M = 1, 5
                RHS(M,I,J,K) = RHS(M,I,J,K)
     &            - (AFTER(M) - BEFORE(M)) / (2D0 * H)
     &            + NU / H**2 * (U(M,I-DI,J-DJ,K-DK)
     &            - 2D0 * U(M,I,J,K) + U(M,I+DI,J+DJ,K+DK))
  100         CONTINUE
  200       CONTINUE
            DO 250 M = 1, 5
              RHS(M,I,J,K) = DT * RHS(M,I,J,K)
  250       CONTINUE
  300     CONTINUE
  400   CONTINUE
  500 CONTINUE
      END
