/* Communicators made in every way, their attributes, hints and error handlers. */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* attributes of MPI 1 */

static MPI_Comm dup, hinted, idup, half, created, from_group, node, bridge, merged, brief;
static MPI_Group first_two;
static MPI_Errhandler counting;
static MPI_Info hints;
static int errors, key, old_key, copies;

static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++errors;
}

static int copy_number(MPI_Comm comm, int keyval, void* extra, void* value, void* copy, int* copied) {
  (void)comm, (void)keyval, (void)extra;
  ++copies;
  *(void**)copy = value;
  *copied = 1;
  return MPI_SUCCESS;
}

static void make_plain(void) {
  MPI_Group all;
  const int two[] = {0, 1};
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_set_name(dup, "twin");
  MPI_Comm_dup_with_info(dup, hints, &hinted);
  MPI_Comm_idup(dup, &idup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &node);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 2, two, &first_two);
  MPI_Comm_create(MPI_COMM_WORLD, all, &created);
  from_group = MPI_COMM_NULL;
  if (me < 2) MPI_Comm_create_group(MPI_COMM_WORLD, first_two, 3, &from_group);
  MPI_Group_free(&all);
}

void make_objects(void) {
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "colour", "red");
  make_plain();
  /* Each half's first is its last in the world. */
  const int last_even = (ranks - 1) / 2 * 2, last_odd = ranks / 2 * 2 - 1;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, me % 2 == 0 ? last_odd : last_even, 1, &bridge);
  MPI_Intercomm_merge(bridge, me % 2, &merged);
  MPI_Comm_create_errhandler(count_error, &counting);
  MPI_Comm_set_errhandler(dup, counting);
  MPI_Comm_create_keyval(copy_number, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &old_key, NULL);
  MPI_Comm_set_attr(dup, key, (void*)41);
  MPI_Attr_put(dup, old_key, (void*)42);
  MPI_Comm_dup(MPI_COMM_WORLD, &brief);
}

void free_objects(void) {
  MPI_Comm* const all[] = {&dup, &hinted, &idup, &half, &created, &node, &bridge, &merged};
  MPI_Comm_delete_attr(dup, key);
  MPI_Attr_delete(dup, old_key);
  MPI_Comm_free_keyval(&key);
  MPI_Keyval_free(&old_key);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) MPI_Comm_free(all[i]);
  if (from_group != MPI_COMM_NULL) MPI_Comm_free(&from_group);
  MPI_Comm_disconnect(&brief);
  MPI_Group_free(&first_two);
  MPI_Errhandler_free(&counting);
  MPI_Info_free(&hints);
}

static int sum_over(MPI_Comm comm) {
  int sum = 0;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

static void use_members(void) {
  const int all = ranks * (ranks - 1) / 2;
  int size, rank, inter, result, odd = 0, mine = 0;
  for (int i = me % 2; i < ranks; i += 2) mine += i;
  for (int i = 1 - me % 2; i < ranks; i += 2) odd += i;
  EXPECT(sum_over(dup) == all && sum_over(hinted) == all && sum_over(idup) == all && sum_over(created) == all);
  EXPECT(sum_over(half) == mine && sum_over(node) == all && sum_over(merged) == all);
  EXPECT(from_group == MPI_COMM_NULL || sum_over(from_group) == 1);
  MPI_Comm_test_inter(bridge, &inter);
  EXPECT(inter);
  EXPECT(sum_over(bridge) == odd);
  MPI_Comm_remote_size(bridge, &size);
  EXPECT(size == (me % 2 == 0 ? ranks / 2 : (ranks + 1) / 2));
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  EXPECT(rank == size - 1 - me / 2);
  MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
  EXPECT(result == MPI_CONGRUENT);
  MPI_Comm_compare(half, MPI_COMM_WORLD, &result);
  EXPECT(result == MPI_UNEQUAL || ranks == 1);
}

static void use_groups_of(void) {
  MPI_Group mine, theirs, both;
  MPI_Comm parent;
  int size;
  MPI_Comm_group(bridge, &mine);
  MPI_Comm_remote_group(bridge, &theirs);
  MPI_Group_union(mine, theirs, &both);
  MPI_Group_size(both, &size);
  EXPECT(size == ranks);
  MPI_Group_free(&mine);
  MPI_Group_free(&theirs);
  MPI_Group_free(&both);
  MPI_Comm_get_parent(&parent);
  EXPECT(parent == MPI_COMM_NULL);
}

static void use_own_info(void) {
  MPI_Info own;
  char key[MPI_MAX_INFO_KEY + 1];
  int length = 0, found = 0, keys = -1;
  MPI_Info_create(&own);
  MPI_Info_set(own, "size", "large");
  MPI_Info_get_valuelen(own, "size", &length, &found);
  MPI_Info_get_nthkey(own, 0, key);
  EXPECT(found && length == 5 && strcmp(key, "size") == 0);
  MPI_Info_delete(own, "size");
  MPI_Info_get_nkeys(own, &keys);
  EXPECT(keys == 0);
  MPI_Info_free(&own);
}

static void use_settings(int step) {
  char name[MPI_MAX_OBJECT_NAME], colour[16] = "";
  MPI_Errhandler handler;
  MPI_Info info, twin;
  int length, found, keys;
  MPI_Comm_get_name(dup, name, &length);
  EXPECT(strcmp(name, "twin") == 0);
  MPI_Comm_get_errhandler(dup, &handler);
  EXPECT(handler == counting);
  MPI_Errhandler_free(&handler);
  MPI_Comm_call_errhandler(dup, MPI_ERR_OTHER);
  EXPECT(errors == step + 1);
  MPI_Info_dup(hints, &twin);
  MPI_Info_get(twin, "colour", sizeof colour - 1, colour, &found);
  EXPECT(found && strcmp(colour, "red") == 0);
  MPI_Comm_set_info(dup, twin);
  MPI_Info_free(&twin);
  MPI_Comm_get_info(hinted, &info);
  MPI_Info_get_nkeys(info, &keys);
  use_own_info();
  EXPECT(keys >= 0);
  MPI_Info_free(&info);
}

static void use_attributes(int step) {
  void* value;
  int found;
  MPI_Comm copy;
  MPI_Comm_get_attr(dup, key, &value, &found);
  EXPECT(found && value == (void*)41);
  MPI_Attr_get(dup, old_key, &value, &found);
  EXPECT(found && value == (void*)42);
  MPI_Comm_dup(dup, &copy);
  EXPECT(copies == step + 1);
  MPI_Comm_get_attr(copy, key, &value, &found);
  EXPECT(found && value == (void*)41);
  MPI_Attr_get(copy, old_key, &value, &found);
  EXPECT(!found);
  MPI_Comm_free(&copy);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  EXPECT(found && *(int*)value >= 32767);
}

void use_objects(int step) {
  use_members();
  use_groups_of();
  use_settings(step);
  use_attributes(step);
}
