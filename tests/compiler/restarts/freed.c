/* Memory to which a member of a structure leads, filled in each step before it is read, and freed through the member in
 * the end, perhaps in another function: not always, not that block, or not before it is read once more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000, STEPS = 3 };
struct block {
  int size, used;
  char *packed, *other;
};
static int yes = 1;

static void make(struct block* block, int size) {
  block->size = size;
  block->used = 0;
  block->packed = malloc((size_t)size);
  block->other = malloc((size_t)size);
  memset(block->packed, 9, (size_t)size);
  memset(block->other, 8, (size_t)size);
}
static void release(struct block* block) {
  free(block->packed);
  free(block->other);
}
static long sum(const char* memory, int size) {
  long all = 0;
  for (int i = 0; i < size; i++) all += memory[i];
  return all;
}
static long fill(const struct block* block, int value) {
  memset(block->packed, value, (size_t)block->size);
  return block->packed[7] + block->packed[block->size - 1];
}
static long steps(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == STEPS - 1) break;
    all += fill(block, step);
  }
  return all;
}

/* As it should be; there are other structures of its kind, which are freed in the same way. */
static long plain(void) {
  struct block block;
  make(&block, N);
  const long all = steps(&block);
  release(&block);
  return all;
}

/* Freed under a condition, else read. */
static long steps_perhaps(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_perhaps(struct block* block, int really) {
  if (really) free(block->packed);
}
static long perhaps(void) {
  struct block block;
  make(&block, N);
  const char* const kept = block.packed;
  long all = steps_perhaps(&block);
  release_perhaps(&block, !yes);
  if (yes) all += sum(kept, N);
  return all;
}

/* The callee frees nothing. */
static long steps_none(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_none(struct block* block) { free(yes ? NULL : block->packed); }
static long none(void) {
  struct block block;
  make(&block, N);
  const char* const kept = block.packed;
  long all = steps_none(&block);
  release_none(&block);
  all += sum(kept, N);
  return all;
}

/* Another structure's is freed. */
static long steps_two(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_two(struct block* block) { free(block->packed); }
static long two(void) {
  struct block one, another;
  make(&one, N);
  make(&another, N);
  const char* const kept = one.packed;
  long all = steps_two(&one);
  release_two(&another);
  all += sum(kept, N);
  return all;
}

/* Of an array of structures, another one's; so it is of a pointer to one of them. */
static long steps_array(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block[1].packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_array(struct block* block) { free(block->packed); }
static long array(void) {
  struct block blocks[2];
  make(&blocks[0], N);
  make(&blocks[1], N);
  const char* const kept = blocks[1].packed;
  long all = steps_array(blocks);
  release_array(blocks);
  all += sum(kept, N);
  return all;
}

/* The member leads elsewhere when it is freed, set through its own address or a copy of all. */
static long steps_turned(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_turned(struct block* block) { free(block->packed); }
static void set(char** which, char* to) { *which = to; }
static long turned(void) {
  struct block block;
  make(&block, N);
  const char* const kept = block.packed;
  long all = steps_turned(&block);
  set(&block.packed, block.other);
  release_turned(&block);
  all += sum(kept, N);
  return all;
}
static long steps_assigned(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_assigned(struct block* block) { free(block->packed); }
static long assigned(void) {
  struct block block, fresh;
  make(&block, N);
  make(&fresh, N);
  const char* const kept = block.packed;
  long all = steps_assigned(&block);
  block = fresh;
  release_assigned(&block);
  all += sum(kept, N);
  return all;
}

/* Read first, by another pointer to it. */
static long steps_aliased(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_aliased(struct block* block, long* all) {
  *all += sum(block->other, N);
  free(block->packed);
}
static long aliased(void) {
  struct block block;
  make(&block, N);
  block.other = block.packed;
  long all = steps_aliased(&block);
  release_aliased(&block, &all);
  return all;
}

/* One of the callers reads it, the other one frees it. */
static long steps_callers(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static struct block shared;
static long reads(void) { return steps_callers(&shared) + sum(shared.packed, N); }
static long frees(void) {
  const long all = steps_callers(&shared);
  free(shared.packed);
  return all;
}
static long callers(void) {
  make(&shared, N);
  const long all = reads();
  return all + frees();
}

/* Left behind: what it leads to is another array's meanwhile, which the last step prints. */
static struct block left;
static void perhaps_end(const char* memory, long all) {
  if (memory == NULL) return;
  for (int i = 0; i < N; i++) all += memory[i];
  printf("%ld\n", all);
  MPI_Finalize();
  exit(0);
}
static void ends(long all) {
  char* other = NULL;
  make(&left, N);
#pragma cppc checkpoint
  for (int step = 0;; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    perhaps_end(other, all);
    memset(left.packed, step, N);
    all += left.packed[7];
    if (step < 2) continue;
    free(left.packed);
    other = malloc(N);
    for (int i = 0; i < N; i++) other[i] = (char)(i % 5);
  }
}

/* In the loop it is freed and made anew, smaller, at the same place or another one; the rest is another array's. */
static long again(void) {
  struct block block;
  make(&block, N);
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    all += sum(block.other, N);
    free(block.packed);
    block.packed = malloc(N / 2);
    char* const more = block.other;
    block.other = malloc(N);
    for (int i = 0; i < N; i++) block.other[i] = (char)(more[i] + step);
    free(more);
    memset(block.packed, step, N / 2);
    all += sum(block.packed, N / 2);
  }
  release(&block);
  return all;
}

/* A function that calls itself has several blocks: another one's is freed. */
static long steps_deeper(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_deeper(struct block* block) { free(block->packed); }
static long deeper(int depth) {
  struct block block;
  make(&block, N);
  long all = steps_deeper(&block);
  if (depth > 0) all += deeper(depth - 1) + sum(block.packed, N);
  release_deeper(&block);
  return all;
}

/* Two structures in one. */
struct both {
  struct block first, second;
};
static long steps_nested(const struct block* block) {
  long all = 0;
#pragma cppc checkpoint
  for (int step = 0; step < STEPS; step++) {
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (step == 1) break;
    memset(block->packed, 3, (size_t)block->size);
  }
  return all;
}
static void release_nested(struct block* block) { free(block->packed); }
static long nested(void) {
  struct both both;
  make(&both.first, N);
  make(&both.second, N);
  const char* const kept = both.second.packed;
  long all = steps_nested(&both.second);
  release_nested(&both.first);
  all += sum(kept, N);
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  yes = argc > 0;
  printf("%ld ", plain());
  printf("%ld ", perhaps());
  printf("%ld ", none());
  printf("%ld ", two());
  printf("%ld ", array());
  printf("%ld ", turned());
  printf("%ld ", assigned());
  printf("%ld ", aliased());
  printf("%ld ", callers());
  printf("%ld ", again());
  printf("%ld ", deeper(1));
  printf("%ld ", nested());
  ends(0);
}
