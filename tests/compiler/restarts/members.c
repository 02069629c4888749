/* Structures whose members lead to arrays in ways that names do not tell: what is read must be there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3000, STEPS = 3 };
struct pair {
  double *now, *next;
};
struct part {
  double *now, *next;
};
struct holder {
  struct part part;
  int used;
};
struct link {
  double* array;
  struct link* more;
};
struct same {
  double* content;
  void* nothing;
};

static double* make(double value) {
  double* array = malloc(N * sizeof *array);
  for (int i = 0; i < N; i++) array[i] = value + i;
  return array;
}
static double sum(const double* array) {
  double all = 0;
  for (int i = 0; i < N; i++) all += array[i];
  return all;
}
static void fill(struct pair* pair, double value) {
  for (int i = 0; i < N; i++) pair->next[i] = value * i;
}

/* The members swap places. */
static double swapped(void) {
  struct pair pair;
  pair.now = make(1);
  pair.next = make(2);
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    all += sum(pair.now);
    fill(&pair, step);
    double* const before = pair.now;
    pair.now = pair.next;
    pair.next = before;
  }
  return all;
}

/* Both lead to one array, which is read by the other name. */
static double shared(void) {
  struct pair pair;
  pair.next = make(3);
  pair.now = pair.next;
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    all += sum(pair.now);
    fill(&pair, step);
  }
  return all;
}

/* The member is set through its address. */
static void set(double** which, double* to) { *which = to; }
static double addressed(void) {
  struct pair pair = {0, 0};
  double* const array = make(4);
  set(&pair.next, array);
  set(&pair.now, array);
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    all += sum(pair.now);
    fill(&pair, step);
  }
  return all;
}

/* The whole structure is copied, by assignment and as bytes. */
static double taken(void) {
  struct pair pair, copy, twin;
  pair.now = make(1);
  pair.next = make(2);
  copy = pair;
  memcpy(&twin, &copy, sizeof twin);
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < N; i++) all += twin.next[i];
    for (int i = 0; i < N; i++) pair.next[i] = step * i;
  }
  return all;
}

/* So is one that is also reached as the first member of another one. */
static double copied(void) {
  struct holder holder, copy, twin;
  holder.part.now = make(5);
  holder.part.next = make(6);
  holder.used = 0;
  copy = holder;
  memcpy(&twin, &copy, sizeof twin);
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    all += sum(twin.part.next);
    for (int i = 0; i < N; i++) ((struct part*)&holder)->next[i] = step * i;
    holder.used++;
  }
  return all + holder.used;
}

/* A structure is passed by its value. */
static double sum_of(struct pair pair) {
  double all = 0;
  for (int i = 0; i < N; i++) all += pair.now[i];
  return all;
}
static double passed(void) {
  struct pair pair;
  pair.next = malloc(N * sizeof *pair.next);
  for (int i = 0; i < N; i++) pair.next[i] = i;
  pair.now = pair.next;
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    all += sum_of(pair);
    for (int i = 0; i < N; i++) pair.next[i] = step * i;
  }
  return all;
}

/* One block is used as two structures. */
static double used_again(void) {
  void* const memory = malloc(sizeof(struct link));
  struct link* const link = memory;
  struct same* const same = memory;
  link->array = make(7);
  link->more = NULL;
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    all += sum(same->content);
    for (int i = 0; i < N; i++) link->array[i] = step + i;
  }
  return all;
}

/* What says where the array is changes first: through a pointer to a member, and by its name. */
struct place {
  int count, from;
  double* at;
};
static double cells[3 * N];
static void move(int* from) { *from = (*from + 1) % 3; }
static double moved(void) {
  struct place place = {N, 0, cells};
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    move(&place.from);
    for (int i = 0; i < place.count; i++) place.at[place.from * N + i] = i + step;
    all += sum(cells) + sum(cells + 2 * N);
  }
  return all;
}
static double shortened(void) {
  struct place place = {3 * N, 0, cells};
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    place.count = N - step;
    for (int i = 0; i < place.count; i++) place.at[i] = i + step;
    all += sum(cells) + sum(cells + 2 * N);
    place.count = 3 * N;
  }
  return all;
}

/* An array of rows that are made by one function, some shared between two of these arrays. */
static double** make_rows(void) {
  double** rows = malloc(4 * sizeof *rows);
  for (int i = 0; i < 4; i++) rows[i] = make(i);
  return rows;
}
static double rows_shared(void) {
  double **one = make_rows(), **other = make_rows();
  other[2] = one[3];
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    all += sum(other[1]) + sum(other[2]);
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < N; k++) one[i][k] = step + i;
  }
  return all;
}

/* Made by a function that keeps what it made last. */
static double* last;
static double** make_kept(void) {
  double** rows = malloc(sizeof *rows);
  *rows = last = make(9);
  return rows;
}
static double kept(void) {
  double **one = make_kept(), **other = make_kept();
  double all = 0;
  for (int step = 0; step < STEPS; step++) {
    MPI_Barrier(MPI_COMM_WORLD);
    all += sum(last) + sum(one[0]);
    for (int k = 0; k < N; k++) other[0][k] = step + k;
  }
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  printf("%g ", swapped());
  printf("%g ", shared());
  printf("%g ", addressed());
  printf("%g ", taken());
  printf("%g ", copied());
  printf("%g ", passed());
  printf("%g ", used_again());
  printf("%g ", moved());
  printf("%g ", shortened());
  printf("%g ", rows_shared());
  printf("%g\n", kept());
  MPI_Finalize();
  return 0;
}
