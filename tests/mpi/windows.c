/* Windows: what they say of themselves, and every access and every way to complete it, in an epoch that is held on. */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

enum { CELLS = 8 };

static MPI_Win fenced, locked, met; /* of memory of the program's own, of MPI's, and for epochs of groups */
static long own[CELLS], letter[2], *theirs, *lent;
static MPI_Group from, to;
static int key, deletions, errors;
static MPI_Errhandler counting;

static void count_error(MPI_Win* win, int* code, ...) {
  EXPECT(*win == fenced && *code == MPI_ERR_OTHER);
  ++errors;
}

static int count_deletion(MPI_Win win, int keyval, void* value, void* extra) {
  (void)win, (void)keyval;
  EXPECT(value == &own[2] && extra == letter);
  ++deletions;
  return MPI_SUCCESS;
}

void make_objects(void) {
  MPI_Group all;
  MPI_Info hints;
  MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &fenced);
  MPI_Win_allocate(CELLS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &theirs, &locked);
  MPI_Alloc_mem(sizeof(long), MPI_INFO_NULL, &lent);
  MPI_Win_create(letter, sizeof letter, sizeof *letter, MPI_INFO_NULL, MPI_COMM_WORLD, &met);
  MPI_Win_get_group(met, &all);
  MPI_Group_incl(all, 1, &before, &from);
  MPI_Group_incl(all, 1, &after, &to);
  MPI_Group_free(&all);
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "colour", "red");
  MPI_Win_set_info(fenced, hints);
  MPI_Info_free(&hints);
  MPI_Win_set_name(locked, "held on");
  MPI_Win_set_errhandler(locked, MPI_ERRORS_RETURN);
  MPI_Win_create_errhandler(count_error, &counting);
  MPI_Win_set_errhandler(fenced, counting);
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_deletion, &key, letter);
  MPI_Win_set_attr(fenced, key, &own[2]);
  MPI_Win_set_attr(locked, key, &own[2]);
  for (int i = 0; i < CELLS; ++i) theirs[i] = 0;
  *lent = 5;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_fence(0, fenced);
  MPI_Win_lock_all(0, locked);
}

void free_objects(void) {
  MPI_Win_fence(MPI_MODE_NOSUCCEED, fenced);
  MPI_Win_unlock_all(locked);
  MPI_Errhandler_free(&counting);
  MPI_Win_delete_attr(fenced, key);
  MPI_Win_free_keyval(&key);
  MPI_Win_free(&fenced);
  EXPECT(deletions == 1);
  MPI_Win_free(&locked);
  EXPECT(deletions == 2);
  MPI_Win_free(&met);
  MPI_Free_mem(lent);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
}

static void look(int step) {
  void* base;
  int *unit, *flavour, found, length;
  MPI_Aint* size;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Errhandler handler;
  MPI_Info info;
  MPI_Win_get_attr(fenced, MPI_WIN_BASE, &base, &found);
  EXPECT(found && base == own);
  MPI_Win_get_attr(locked, MPI_WIN_SIZE, &size, &found);
  EXPECT(found && *size == CELLS * (MPI_Aint)sizeof(long));
  MPI_Win_get_attr(locked, MPI_WIN_DISP_UNIT, &unit, &found);
  EXPECT(found && *unit == (int)sizeof(long));
  MPI_Win_get_attr(locked, MPI_WIN_CREATE_FLAVOR, &flavour, &found);
  EXPECT(found && *flavour == MPI_WIN_FLAVOR_ALLOCATE);
  MPI_Win_get_attr(locked, key, &base, &found);
  EXPECT(found && base == &own[2]);
  MPI_Win_get_attr(met, key, &base, &found);
  EXPECT(!found);
  MPI_Win_get_name(locked, name, &length);
  EXPECT(strcmp(name, "held on") == 0);
  MPI_Win_get_errhandler(locked, &handler);
  EXPECT(handler == MPI_ERRORS_RETURN);
  MPI_Win_call_errhandler(locked, MPI_ERR_OTHER);
  MPI_Win_get_errhandler(fenced, &handler);
  EXPECT(handler == counting);
  MPI_Errhandler_free(&handler);
  MPI_Win_call_errhandler(fenced, MPI_ERR_OTHER);
  EXPECT(errors == step + 1);
  MPI_Win_get_info(fenced, &info);
  MPI_Info_free(&info);
  EXPECT((*lent)++ == 5 + step);
}

static void use_fences(int step) {
  long got = -1;
  const long value = 100 * step + me;
  MPI_Put(&value, 1, MPI_LONG, after, 0, 1, MPI_LONG, fenced);
  MPI_Accumulate(&value, 1, MPI_LONG, after, 1, 1, MPI_LONG, MPI_REPLACE, fenced);
  MPI_Win_fence(0, fenced);
  EXPECT(own[0] == 100 * step + before && own[1] == own[0]);
  MPI_Get(&got, 1, MPI_LONG, after, 0, 1, MPI_LONG, fenced);
  MPI_Win_fence(0, fenced);
  EXPECT(got == value);
}

static void use_locked(int step) {
  const long value = 1000 * step + me, one = 1;
  long got = -1, sum = -1, put = value, seen = -1;
  MPI_Request request;
  MPI_Put(&value, 1, MPI_LONG, after, 0, 1, MPI_LONG, locked);
  MPI_Win_flush(after, locked);
  MPI_Get(&got, 1, MPI_LONG, after, 0, 1, MPI_LONG, locked);
  MPI_Win_flush_local(after, locked);
  EXPECT(got == value);
  MPI_Rput(&put, 1, MPI_LONG, after, 1, 1, MPI_LONG, locked, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush_all(locked);
  MPI_Rget(&got, 1, MPI_LONG, after, 1, 1, MPI_LONG, locked, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(got == value);
  MPI_Raccumulate(&one, 1, MPI_LONG, after, 2, 1, MPI_LONG, MPI_SUM, locked, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(after, locked);
  MPI_Rget_accumulate(&one, 1, MPI_LONG, &sum, 1, MPI_LONG, after, 2, 1, MPI_LONG, MPI_SUM, locked, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush_all(locked);
  EXPECT(sum == 3 * step + 1);
  MPI_Get_accumulate(&one, 1, MPI_LONG, &sum, 1, MPI_LONG, after, 2, 1, MPI_LONG, MPI_SUM, locked);
  MPI_Win_flush_local_all(locked);
  MPI_Win_flush_all(locked);
  EXPECT(sum == 3 * step + 2);
  const long expected = step, next = step + 1;
  MPI_Compare_and_swap(&next, &expected, &seen, MPI_LONG, after, 3, locked);
  MPI_Win_flush(after, locked);
  EXPECT(seen == step);
  MPI_Fetch_and_op(&one, &got, MPI_LONG, after, 4, MPI_SUM, locked);
  MPI_Win_flush(after, locked);
  EXPECT(got == step);
  MPI_Win_sync(locked);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* What the next rank has of the step before is put there and fetched without end of the access. */
static void leave_accesses_open(int step) {
  static long put, got;
  MPI_Win_flush(after, locked);
  EXPECT(step == 0 || got == 500 + step - 1);
  put = 500 + step;
  MPI_Put(&put, 1, MPI_LONG, after, 5, 1, MPI_LONG, locked);
  MPI_Win_flush(after, locked);
  MPI_Get(&got, 1, MPI_LONG, after, 5, 1, MPI_LONG, locked);
  MPI_Put(&put, 1, MPI_LONG, after, 6, 1, MPI_LONG, locked);
}

static void use_meetings(int step) {
  const long value = 7 * step + me;
  int done = 0;
  MPI_Win_post(from, 0, met);
  MPI_Win_start(to, 0, met);
  MPI_Put(&value, 1, MPI_LONG, after, step % 2, 1, MPI_LONG, met);
  MPI_Win_complete(met);
  while (!done) MPI_Win_test(met, &done);
  EXPECT(letter[step % 2] == 7 * step + before);
  MPI_Win_post(from, 0, met);
  MPI_Win_start(to, 0, met);
  MPI_Win_complete(met);
  MPI_Win_wait(met);
  long got = -1;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, after, 0, met);
  MPI_Get(&got, 1, MPI_LONG, after, step % 2, 1, MPI_LONG, met);
  MPI_Win_unlock(after, met);
  EXPECT(got == value);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Windows with which no rank can be moved: they are gone again before one is to. */
static void use_bound(int step) {
  MPI_Win shared, dynamic;
  long *mine, *next, shown = -1;
  MPI_Aint bytes, place, target;
  int unit;
  const long value = 20 * step + me;
  MPI_Win_allocate_shared(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &shared);
  MPI_Win_shared_query(shared, after, &bytes, &unit, &next);
  EXPECT(bytes == (MPI_Aint)sizeof(long) && unit == (int)sizeof(long));
  MPI_Win_fence(0, shared);
  *mine = value;
  MPI_Win_fence(0, shared);
  EXPECT(*next == 20 * step + after);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_attach(dynamic, &shown, sizeof shown);
  MPI_Get_address(&shown, &place);
  MPI_Sendrecv(&place, 1, MPI_AINT, before, 3, &target, 1, MPI_AINT, after, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_fence(0, dynamic);
  MPI_Put(&value, 1, MPI_LONG, after, target, 1, MPI_LONG, dynamic);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, dynamic);
  EXPECT(shown == 20 * step + before);
  MPI_Win_detach(dynamic, &shown);
  MPI_Win_free(&dynamic);
  MPI_Win_free(&shared);
}

void use_objects(int step) {
  look(step);
  use_bound(step);
  use_fences(step);
  use_locked(step);
  use_meetings(step);
  leave_accesses_open(step);
}
