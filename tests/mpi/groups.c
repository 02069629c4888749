/* Groups, and operations of the program's own. */
#include "conformance.h"

static MPI_Group all, first, rest, reversed, odd, thinned;
static MPI_Op capped;
static int cap = 5;

static void add_capped(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) {
    const int sum = ((int*)in)[i] + ((int*)inout)[i];
    ((int*)inout)[i] = sum < cap ? sum : cap;
  }
}

void make_objects(void) {
  const int zero = 0;
  int backwards[1][3] = {{ranks - 1, 0, -1}}, every_other[1][3] = {{0, ranks - 1, 2}};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Group_excl(all, 1, &zero, &rest);
  MPI_Group_range_incl(all, 1, backwards, &reversed);
  MPI_Group_range_excl(all, 1, every_other, &odd);
  MPI_Group_difference(rest, odd, &thinned);
  MPI_Op_create(add_capped, 1, &capped);
}

void free_objects(void) {
  MPI_Group* const groups[] = {&all, &first, &rest, &reversed, &odd, &thinned};
  for (int i = 0; i < 6; ++i)
    if (*groups[i] != MPI_GROUP_EMPTY) MPI_Group_free(groups[i]);
  MPI_Op_free(&capped);
}

static int size_of(MPI_Group group) {
  int size;
  MPI_Group_size(group, &size);
  return size;
}

static void free_group(MPI_Group* group) {
  if (*group != MPI_GROUP_EMPTY) MPI_Group_free(group);
}

void use_objects(int step) {
  MPI_Group together, common;
  MPI_Comm comm;
  int rank, result, there, sum = 0;
  EXPECT(size_of(all) == ranks && size_of(rest) == ranks - 1 && size_of(odd) == ranks / 2);
  MPI_Group_rank(reversed, &rank);
  EXPECT(rank == ranks - 1 - me);
  MPI_Group_translate_ranks(all, 1, &me, reversed, &there);
  EXPECT(there == ranks - 1 - me);
  MPI_Group_union(first, rest, &together);
  MPI_Group_compare(together, all, &result);
  EXPECT(result == MPI_IDENT);
  MPI_Group_compare(reversed, all, &result);
  EXPECT(result == MPI_SIMILAR);
  MPI_Group_intersection(first, rest, &common);
  EXPECT(size_of(common) == 0);
  EXPECT(size_of(thinned) == ranks - 1 - ranks / 2);
  free_group(&together);
  free_group(&common);
  MPI_Comm_create(MPI_COMM_WORLD, reversed, &comm);
  MPI_Comm_rank(comm, &rank);
  EXPECT(rank == ranks - 1 - me);
  MPI_Allreduce(&me, &sum, 1, MPI_INT, capped, comm);
  const int whole = ranks * (ranks - 1) / 2;
  EXPECT(sum == (whole < cap ? whole : cap));
  MPI_Comm_free(&comm);
  cap = 5 + step;
}
