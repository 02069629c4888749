// FLAGS -O2 -fopenmp
/* MPI_THREAD_MULTIPLE: threads of a parallel region exchange messages and are in different collective operations at the
 * same time, each on a communicator of its own; threads that are joined before the next step do, too. */
#include <pthread.h>

#include "adversarial.h"

enum { THREADS = 3, LENGTH = 20000 };

static MPI_Comm comms[THREADS];
static double values[THREADS][LENGTH];
static int size;

static void work(int number, int it) {
  static double received[THREADS][LENGTH];
  double* const mine = values[number];
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[2];
  MPI_Irecv(received[number], LENGTH, MPI_DOUBLE, left, number, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(mine, LENGTH, MPI_DOUBLE, right, number, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  double own = 0, all = 0;
  for (int i = 0; i < LENGTH; i++) own += mine[i] = received[number][i] * 0.5 + it;
  if (number % 2 == 0) MPI_Barrier(comms[number]);
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comms[number]);
  MPI_Sendrecv(&own, 1, MPI_DOUBLE, right, 10 + number, &own, 0, MPI_DOUBLE, MPI_PROC_NULL, 0, comms[number],
               MPI_STATUS_IGNORE);
  MPI_Recv(&own, 1, MPI_DOUBLE, left, 10 + number, comms[number], MPI_STATUS_IGNORE);
  mine[it] = (all + own) * 1e-7;
}

struct job {
  int number, it;
};

static void* work_alone(void* given) {
  const struct job* const job = given;
  work(job->number, job->it);
  return NULL;
}

int main(int argc, char** argv) {
  int provided = 0, level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < THREADS; k++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]);
    for (int i = 0; i < LENGTH; i++) values[k][i] = rank + k + i * 1e-3;
  }
  for (int it = 0; it < 12; it++) {
#pragma omp parallel for num_threads(THREADS) schedule(static, 1)
    for (int k = 0; k < THREADS; k++) work(k, it);
    pthread_t thread;
    struct job job = {1, it};
    pthread_create(&thread, NULL, work_alone, &job);
    work(2, it);
    pthread_join(thread, NULL);
    MPI_Query_thread(&level);
    printf("%d %d %.17g %d\n", rank, it, gsum(values[0][it] + values[1][7] + values[2][100]), level);
  }
  MPI_Finalize();
  return 0;
}
