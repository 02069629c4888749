/* several_threads FILE [own]: works until FILE is there, with three threads of a parallel region, which call MPI at the
 * same time (MPI_THREAD_MULTIPLE), each on a communicator of its own; `own`: with one that runs as long as the program.
 * Each rank tells how many results were wrong. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, LENGTH = 30000, END = -1 };

static MPI_Comm comms[THREADS];
static int kept[THREADS][LENGTH];
static int rank, size;

static int exchange(int thread, int step) {
  static int received[THREADS][LENGTH];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int wrong = 0;
  MPI_Request requests[2];
  MPI_Irecv(received[thread], LENGTH, MPI_INT, left, thread, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(kept[thread], LENGTH, MPI_INT, right, thread, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < LENGTH; i++) wrong += received[thread][i] != left + thread * i;
  int own = rank + step, all = 0, from = 0;
  if (thread == 0) MPI_Barrier(comms[thread]);
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, comms[thread]);
  MPI_Sendrecv(&own, 1, MPI_INT, right, step % 100, &from, 1, MPI_INT, left, step % 100, comms[thread], MPI_STATUS_IGNORE);
  return wrong + (all != size * step + size * (size - 1) / 2) + (from != left + step);
}

/* Answers the other ranks until it is told to end. */
static void* serve(void* unused) {
  for (int asked = 0; asked != END;) {
    MPI_Status status;
    MPI_Recv(&asked, 1, MPI_INT, MPI_ANY_SOURCE, 500, MPI_COMM_WORLD, &status);
    if (asked != END) MPI_Send(&asked, 1, MPI_INT, status.MPI_SOURCE, 501, MPI_COMM_WORLD);
  }
  return unused;
}

static int ask(int step) {
  int answer = 0;
  MPI_Sendrecv(&step, 1, MPI_INT, (rank + 1) % size, 500, &answer, 1, MPI_INT, (rank + 1) % size, 501, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return answer != step;
}

int main(int argc, char** argv) {
  int provided = 0, wrong = 0, step = 0, over = 0;
  const int serves = argc > 2 && strcmp(argv[2], "own") == 0;
  pthread_t server;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int thread = 0; thread < THREADS; thread++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[thread]);
    for (int i = 0; i < LENGTH; i++) kept[thread][i] = rank + thread * i;
  }
  if (serves) pthread_create(&server, NULL, serve, NULL);
  for (; !over; step++) {
    if (serves) {
      wrong += exchange(0, step) + ask(step);
    } else {
#pragma omp parallel for num_threads(THREADS) schedule(static, 1) reduction(+ : wrong)
      for (int thread = 0; thread < THREADS; thread++) wrong += exchange(thread, step);
    }
    over = rank == 0 && access(argv[1], F_OK) == 0;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    usleep(5000);
  }
  if (serves) {
    const int end = END;
    MPI_Barrier(MPI_COMM_WORLD); /* nobody asks any more */
    MPI_Send(&end, 1, MPI_INT, rank, 500, MPI_COMM_WORLD);
    pthread_join(server, NULL);
  }
  MPI_Query_thread(&provided);
  printf("rank %d: %d wrong, thread level %s\n", rank, wrong, provided == MPI_THREAD_MULTIPLE ? "multiple" : "less");
  MPI_Finalize();
  return wrong != 0 || step == 0;
}
