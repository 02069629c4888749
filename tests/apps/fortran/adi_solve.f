C     The sweeps of adi_f77: lines of blocks of 5 x 5, which are
C     eliminated forwards and solved backwards (Thomas).

C     Lines in x are whole in every process.
      SUBROUTINE XSOLVE
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION EDGE(30)
      INTEGER I, J, K
      DO 100 I = 1, 30
        EDGE(I) = 0D0
  100 CONTINUE
      DO 500 K = 1, NK
        DO 400 J = 1, NJ
          CALL ROW(U(1,0,J,K), RHOI(0,J,K), U(1,2,J,K), RHOI(2,J,K), 1,
     &             EDGE(1), EDGE(26), CC(1,1,1,J,K), RHS(1,1,J,K))
          DO 200 I = 2, N
            CALL ROW(U(1,I-1,J,K), RHOI(I-1,J,K), U(1,I+1,J,K),
     &               RHOI(I+1,J,K), 1, CC(1,1,I-1,J,K), RHS(1,I-1,J,K),
     &               CC(1,1,I,J,K), RHS(1,I,J,K))
  200     CONTINUE
          DO 300 I = N - 1, 1, -1
            CALL BACK(CC(1,1,I,J,K), RHS(1,I+1,J,K), RHS(1,I,J,K))
  300     CONTINUE
  400   CONTINUE
  500 CONTINUE
      END

C     Lines in y go through the ranks, a plane of equal z at a time.
      SUBROUTINE YSOLVE
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION EDGE(30,N), NEXT(5,N)
      INTEGER I, J, K
      DO 300 K = 1, NK
        CALL FETCH(EDGE, 30 * N, JPREV)
        DO 200 J = 1, NJ
          DO 100 I = 1, N
            IF (J .EQ. 1) THEN
              CALL ROW(U(1,I,0,K), RHOI(I,0,K), U(1,I,2,K),
     &                 RHOI(I,2,K), 2, EDGE(1,I), EDGE(26,I),
     &                 CC(1,1,I,1,K), RHS(1,I,1,K))
            ELSE
              CALL ROW(U(1,I,J-1,K), RHOI(I,J-1,K), U(1,I,J+1,K),
     &                 RHOI(I,J+1,K), 2, CC(1,1,I,J-1,K),
     &                 RHS(1,I,J-1,K), CC(1,1,I,J,K), RHS(1,I,J,K))
            END IF
  100     CONTINUE
  200   CONTINUE
        CALL HAND(CC(1,1,1,NJ,K), RHS(1,1,NJ,K), JNEXT)
  300 CONTINUE
      DO 600 K = 1, NK
        CALL FETCH(NEXT, 5 * N, JNEXT)
        DO 500 J = NJ, 1, -1
          DO 400 I = 1, N
            IF (J .EQ. NJ) THEN
              CALL BACK(CC(1,1,I,J,K), NEXT(1,I), RHS(1,I,J,K))
            ELSE
              CALL BACK(CC(1,1,I,J,K), RHS(1,I,J+1,K), RHS(1,I,J,K))
            END IF
  400     CONTINUE
  500   CONTINUE
        CALL MPI_SEND(RHS(1,1,1,K), 5 * N, MPI_DOUBLE_PRECISION, JPREV,
     &                3, GRID, I)
  600 CONTINUE
      END

C     Lines in z likewise, a plane of equal y at a time.
      SUBROUTINE ZSOLVE
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION EDGE(30,N), NEXT(5,N)
      INTEGER I, J, K
      DO 300 J = 1, NJ
        CALL FETCH(EDGE, 30 * N, KPREV)
        DO 200 K = 1, NK
          DO 100 I = 1, N
            IF (K .EQ. 1) THEN
              CALL ROW(U(1,I,J,0), RHOI(I,J,0), U(1,I,J,2),
     &                 RHOI(I,J,2), 3, EDGE(1,I), EDGE(26,I),
     &                 CC(1,1,I,J,1), RHS(1,I,J,1))
            ELSE
              CALL ROW(U(1,I,J,K-1), RHOI(I,J,K-1), U(1,I,J,K+1),
     &                 RHOI(I,J,K+1), 3, CC(1,1,I,J,K-1),
     &                 RHS(1,I,J,K-1), CC(1,1,I,J,K), RHS(1,I,J,K))
            END IF
  100     CONTINUE
  200   CONTINUE
        CALL HAND(CC(1,1,1,J,NK), RHS(1,1,J,NK), KNEXT)
  300 CONTINUE
      DO 600 J = 1, NJ
        CALL FETCH(NEXT, 5 * N, KNEXT)
        DO 500 K = NK, 1, -1
          DO 400 I = 1, N
            IF (K .EQ. NK) THEN
              CALL BACK(CC(1,1,I,J,K), NEXT(1,I), RHS(1,I,J,K))
            ELSE
              CALL BACK(CC(1,1,I,J,K), RHS(1,I,J,K+1), RHS(1,I,J,K))
            END IF
  400     CONTINUE
  500   CONTINUE
        CALL MPI_SEND(RHS(1,1,J,1), 5 * N, MPI_DOUBLE_PRECISION, KPREV,
     &                3, GRID, I)
  600 CONTINUE
      END

C     What a neighbour hands over; zeros at the edge of the cube.
      SUBROUTINE FETCH(TO, COUNT, FROM)
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      INTEGER COUNT, FROM, I, IERR, STAT(MPI_STATUS_SIZE)
      DOUBLE PRECISION TO(COUNT)
      DO 100 I = 1, COUNT
        TO(I) = 0D0
  100 CONTINUE
      CALL MPI_RECV(TO, COUNT, MPI_DOUBLE_PRECISION, FROM, 3, GRID,
     &              STAT, IERR)
      END

C     Hands the last eliminated blocks of N lines over.
      SUBROUTINE HAND(C, R, TO)
      INCLUDE 'mpif.h'
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION C(25,N), R(5,N), EDGE(30,N)
      INTEGER TO, I, M, IERR
      DO 300 I = 1, N
        DO 100 M = 1, 25
          EDGE(M,I) = C(M,I)
  100   CONTINUE
        DO 200 M = 1, 5
          EDGE(25+M,I) = R(M,I)
  200   CONTINUE
  300 CONTINUE
      CALL MPI_SEND(EDGE, 30 * N, MPI_DOUBLE_PRECISION, TO, 3, GRID,
     &              IERR)
      END

C     The derivative of the flux in direction D, of the state V.
      SUBROUTINE JACOB(V, RI, D, A)
      DOUBLE PRECISION V(5), RI, A(5,5), S(3), Q, E
      INTEGER D, I, J
      DO 100 I = 1, 3
        S(I) = V(I+1) * RI
  100 CONTINUE
      Q = S(1)**2 + S(2)**2 + S(3)**2
      E = 1.4D0 * V(5) * RI
      DO 300 J = 1, 5
        DO 200 I = 1, 5
          A(I,J) = 0D0
  200   CONTINUE
  300 CONTINUE
      A(1,D+1) = 1D0
      DO 400 I = 1, 3
        A(I+1,1) = -S(I) * S(D)
        A(I+1,I+1) = S(D)
        A(I+1,D+1) = A(I+1,D+1) + S(I)
        A(5,I+1) = -0.4D0 * S(I) * S(D)
  400 CONTINUE
      A(D+1,1) = A(D+1,1) + 0.2D0 * Q
      DO 500 I = 1, 3
        A(D+1,I+1) = A(D+1,I+1) - 0.4D0 * S(I)
  500 CONTINUE
      A(D+1,5) = 0.4D0
      A(5,1) = S(D) * (0.4D0 * Q - E)
      A(5,D+1) = A(5,D+1) + E - 0.2D0 * Q
      A(5,5) = 1.4D0 * S(D)
      END

C     Eliminates the block before the diagonal of one row of a line in
C     direction D, whose neighbours are in states VB and VA, with the
C     eliminated row before, CB and RB. C and R are those of this row.
      SUBROUTINE ROW(VB, RIB, VA, RIA, D, CB, RB, C, R)
      INCLUDE 'adi_f77.inc'
      DOUBLE PRECISION VB(5), RIB, VA(5), RIA, CB(5,5), RB(5)
      DOUBLE PRECISION C(5,5), R(5), A(5,5), B(5,5), DIFF
      INTEGER D, I, J, L
      DIFF = DT * NU / H**2
      CALL JACOB(VB, RIB, D, A)
      CALL JACOB(VA, RIA, D, C)
      DO 200 J = 1, 5
        DO 100 I = 1, 5
          A(I,J) = -DT / (2D0 * H) * A(I,J)
          C(I,J) = DT / (2D0 * H) * C(I,J)
          B(I,J) = 0D0
  100   CONTINUE
        A(J,J) = A(J,J) - DIFF
        C(J,J) = C(J,J) - DIFF
        B(J,J) = 1D0 + 2D0 * DIFF
  200 CONTINUE
      DO 500 L = 1, 5
        DO 400 J = 1, 5
          DO 300 I = 1, 5
            B(I,J) = B(I,J) - A(I,L) * CB(L,J)
  300     CONTINUE
  400   CONTINUE
        DO 450 I = 1, 5
          R(I) = R(I) - A(I,L) * RB(L)
  450   CONTINUE
  500 CONTINUE
      CALL SOLVE5(B, C, R)
      END

C     C and R become B**-1 C and B**-1 R.
      SUBROUTINE SOLVE5(B, C, R)
      DOUBLE PRECISION B(5,5), C(5,5), R(5), F
      INTEGER I, J, L
      DO 500 L = 1, 5
        F = 1D0 / B(L,L)
        DO 100 J = L + 1, 5
          B(L,J) = F * B(L,J)
  100   CONTINUE
        DO 200 J = 1, 5
          C(L,J) = F * C(L,J)
  200   CONTINUE
        R(L) = F * R(L)
        DO 450 I = 1, 5
          IF (I .EQ. L) GOTO 450
          F = B(I,L)
          DO 300 J = L + 1, 5
            B(I,J) = B(I,J) - F * B(L,J)
  300     CONTINUE
          DO 400 J = 1, 5
            C(I,J) = C(I,J) - F * C(L,J)
  400     CONTINUE
          R(I) = R(I) - F * R(L)
  450   CONTINUE
  500 CONTINUE
      END

C     Solves a row, with the solved one behind it.
      SUBROUTINE BACK(C, NEXT, R)
      DOUBLE PRECISION C(5,5), NEXT(5), R(5)
      INTEGER I, J
      DO 200 J = 1, 5
        DO 100 I = 1, 5
          R(I) = R(I) - C(I,J) * NEXT(J)
  100   CONTINUE
  200 CONTINUE
      END
