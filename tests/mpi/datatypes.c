/* Derived datatypes by every constructor: what each picks out of a row of numbers travels to the next rank. What the
 * program caches on them. */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

enum { TYPES = 16, NUMBERS = 40, LONGEST = 8, STRUCTURE = 7 };

static MPI_Datatype types[TYPES];
static int picks[TYPES][LONGEST], lengths[TYPES], made; /* which numbers each type has, in order */

static MPI_Datatype of_fortran[3], pair_of_fortran; /* the three are MPI's */
static int key, lasting_key, copies, deletions, cached;

static int copy_next(MPI_Datatype type, int keyval, void* extra, void* value, void* copy, int* copied) {
  (void)type, (void)keyval;
  EXPECT(extra == &cached);
  ++copies;
  *(void**)copy = (int*)value + 1;
  *copied = 1;
  return MPI_SUCCESS;
}

static int count_deletion(MPI_Datatype type, int keyval, void* value, void* extra) {
  (void)type, (void)keyval, (void)value, (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

static void add(MPI_Datatype type, int length, const int* which) {
  MPI_Type_commit(&type);
  types[made] = type;
  lengths[made] = length;
  memcpy(picks[made], which, (size_t)length * sizeof *which);
  ++made;
}

static void make_vectors(void) {
  MPI_Datatype type;
  MPI_Type_contiguous(3, MPI_INT, &type), add(type, 3, (int[]){0, 1, 2});
  MPI_Type_vector(3, 1, 4, MPI_INT, &type), add(type, 3, (int[]){0, 4, 8});
  MPI_Type_create_hvector(2, 2, 5 * sizeof(int), MPI_INT, &type), add(type, 4, (int[]){0, 1, 5, 6});
}

static void make_indexed(void) {
  int blocks[] = {1, 2}, displacements[] = {3, 6};
  MPI_Aint byte_displacements[] = {3 * sizeof(int), 6 * sizeof(int)};
  MPI_Datatype type;
  MPI_Type_indexed(2, blocks, displacements, MPI_INT, &type), add(type, 3, (int[]){3, 6, 7});
  MPI_Type_create_hindexed(2, blocks, byte_displacements, MPI_INT, &type), add(type, 3, (int[]){3, 6, 7});
  MPI_Type_create_indexed_block(2, 2, displacements, MPI_INT, &type), add(type, 4, (int[]){3, 4, 6, 7});
  MPI_Type_create_hindexed_block(2, 2, byte_displacements, MPI_INT, &type), add(type, 4, (int[]){3, 4, 6, 7});
}

static void make_structures(void) {
  int blocks[] = {1, 2};
  MPI_Aint displacements[] = {0, 9 * sizeof(int)};
  MPI_Datatype parts[] = {types[0], MPI_INT}, type, resized;
  MPI_Type_create_struct(2, blocks, displacements, parts, &type), add(type, 5, (int[]){0, 1, 2, 9, 10});
  MPI_Type_dup(types[1], &type), add(type, 3, (int[]){0, 4, 8});
  MPI_Type_create_resized(types[0], 0, 5 * sizeof(int), &resized);
  MPI_Type_contiguous(2, resized, &type), add(type, 6, (int[]){0, 1, 2, 5, 6, 7});
  MPI_Type_free(&resized); /* needed on, all the same */
}

static void make_arrays(void) {
  const int sizes[] = {4, 6}, part[] = {2, 2}, start[] = {1, 3};
  const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, grid[] = {2, 3};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &type), add(type, 4, (int[]){9, 10, 15, 16});
  MPI_Type_create_darray(6, 1, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_INT, &type);
  add(type, 4, (int[]){1, 4, 7, 10});
}

void make_objects(void) {
  make_vectors();
  make_indexed();
  make_structures();
  make_arrays();
  MPI_Type_create_f90_integer(9, &of_fortran[0]);
  MPI_Type_create_f90_real(15, 300, &of_fortran[1]);
  MPI_Type_create_f90_complex(6, 30, &of_fortran[2]);
  MPI_Type_contiguous(2, of_fortran[1], &pair_of_fortran);
  MPI_Type_commit(&pair_of_fortran);
  MPI_Type_create_keyval(copy_next, count_deletion, &key, &cached);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &lasting_key, NULL);
  MPI_Type_set_attr(types[STRUCTURE], key, picks[STRUCTURE]);
  MPI_Type_set_attr(types[STRUCTURE], lasting_key, (void*)41);
  MPI_Type_set_attr(MPI_INT, lasting_key, &cached);
}

void free_objects(void) {
  const int before_last = deletions;
  MPI_Type_free(&pair_of_fortran);
  MPI_Type_delete_attr(MPI_INT, lasting_key);
  MPI_Type_free_keyval(&lasting_key);
  MPI_Type_free_keyval(&key);
  for (int i = 0; i < made; ++i) MPI_Type_free(&types[i]);
  EXPECT(deletions == before_last + 1);
}

/* Travels as the type picks it and arrives in a row. */
static void send_around(int i, int step) {
  int out[NUMBERS], in[LONGEST], size, position = 0;
  char packed[256];
  for (int k = 0; k < NUMBERS; ++k) out[k] = 10000 * step + 100 * me + k;
  MPI_Sendrecv(out, 1, types[i], after, i, in, lengths[i], MPI_INT, before, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  bool right = true;
  for (int k = 0; k < lengths[i]; ++k) right = right && in[k] == 10000 * step + 100 * before + picks[i][k];
  EXPECT(right);
  MPI_Type_size(types[i], &size);
  EXPECT(size == lengths[i] * (int)sizeof(int));
  MPI_Pack(out, 1, types[i], packed, sizeof packed, &position, MPI_COMM_WORLD);
  EXPECT(position == size);
}

/* All that MPI says of a datatype. */
static void measure(int step) {
  const int size_there = lengths[STRUCTURE] * (int)sizeof(int);
  const MPI_Datatype type = types[STRUCTURE];
  MPI_Aint lowest, extent, true_lowest, true_extent;
  MPI_Count size, lowest_x, extent_x, count_x;
  char name[MPI_MAX_OBJECT_NAME];
  int length, count;
  MPI_Status status;
  MPI_Type_get_extent(type, &lowest, &extent);
  MPI_Type_get_extent_x(type, &lowest_x, &extent_x);
  EXPECT(lowest == 0 && extent == 11 * (MPI_Aint)sizeof(int) && lowest_x == lowest && extent_x == extent);
  MPI_Type_get_true_extent(type, &true_lowest, &true_extent);
  MPI_Type_get_true_extent_x(type, &lowest_x, &extent_x);
  EXPECT(true_lowest == lowest && true_extent == extent && lowest_x == lowest && extent_x == extent);
  MPI_Type_size_x(type, &size);
  EXPECT(size == size_there);
  MPI_Type_get_name(type, name, &length);
  EXPECT(step == 0 || strcmp(name, "structure") == 0);
  MPI_Type_set_name(type, "structure");
  MPI_Sendrecv(NULL, 0, MPI_INT, after, 0, NULL, 0, MPI_INT, before, 0, MPI_COMM_WORLD, &status);
  MPI_Status_set_elements_x(&status, MPI_INT, lengths[STRUCTURE]);
  MPI_Get_elements(&status, type, &count);
  MPI_Get_elements_x(&status, type, &count_x);
  EXPECT(count == lengths[STRUCTURE] && count_x == count);
}

static void reduce_and_pack(int step) {
  const int in[2] = {step, me};
  int sum[2] = {1, 1}, commutes = 0, back[2] = {0, 0};
  char packed[64];
  MPI_Aint size, position = 0;
  MPI_Op_commutative(MPI_SUM, &commutes);
  MPI_Reduce_local(in, sum, 2, MPI_INT, MPI_SUM);
  EXPECT(commutes && sum[0] == step + 1 && sum[1] == me + 1);
  MPI_Pack_external_size("external32", 2, of_fortran[0], &size);
  MPI_Pack_external("external32", in, 2, of_fortran[0], packed, size, &position);
  EXPECT(position == size);
  position = 0;
  MPI_Unpack_external("external32", packed, size, &position, back, 2, of_fortran[0]);
  EXPECT(back[0] == step && back[1] == me);
}

static void look_inside(void) {
  int integers, addresses, parts, combiner, counts[4];
  MPI_Aint displacements[4];
  MPI_Datatype inner[4];
  MPI_Type_get_envelope(types[STRUCTURE], &integers, &addresses, &parts, &combiner);
  EXPECT(combiner == MPI_COMBINER_STRUCT && parts == 2);
  MPI_Type_get_contents(types[STRUCTURE], integers, addresses, parts, counts, displacements, inner);
  EXPECT(counts[0] == 2 && counts[2] == 2 && displacements[1] == 9 * (MPI_Aint)sizeof(int) && inner[1] == MPI_INT);
  MPI_Type_get_envelope(inner[0], &integers, &addresses, &parts, &combiner);
  EXPECT(combiner == MPI_COMBINER_CONTIGUOUS);
  MPI_Type_free(&inner[0]);
}

static void* attribute(MPI_Datatype type, int keyval) {
  void* value;
  int found;
  MPI_Type_get_attr(type, keyval, &value, &found);
  return found ? value : NULL;
}

static void use_attributes(int step) {
  MPI_Datatype copy;
  EXPECT(attribute(types[STRUCTURE], key) == picks[STRUCTURE]);
  EXPECT(attribute(types[STRUCTURE], lasting_key) == (void*)41);
  EXPECT(attribute(types[0], key) == NULL && attribute(MPI_INT, lasting_key) == &cached);
  MPI_Type_dup(types[STRUCTURE], &copy);
  EXPECT(copies == step + 1 && deletions == step);
  EXPECT(attribute(copy, key) == &picks[STRUCTURE][1] && attribute(copy, lasting_key) == (void*)41);
  MPI_Type_free(&copy);
  EXPECT(deletions == step + 1);
}

static void use_fortrans(int step) {
  const int whole = 100 * step + me;
  const double real[2] = {whole, -whole};
  const float complex[2] = {(float)whole, 1};
  int got = -1;
  double got_real[2] = {0, 0};
  float got_complex[2] = {0, 0};
  MPI_Datatype again;
  MPI_Sendrecv(&whole, 1, of_fortran[0], after, 0, &got, 1, of_fortran[0], before, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  EXPECT(got == 100 * step + before);
  MPI_Sendrecv(real, 1, pair_of_fortran, after, 0, got_real, 2, of_fortran[1], before, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  EXPECT(got_real[0] == got && got_real[1] == -got);
  MPI_Sendrecv(complex, 1, of_fortran[2], after, 0, got_complex, 1, of_fortran[2], before, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  EXPECT(got_complex[0] == (float)got && got_complex[1] == 1);
  MPI_Type_create_f90_real(15, 300, &again);
  EXPECT(again == of_fortran[1]);
}

void use_objects(int step) {
  for (int i = 0; i < made; ++i) send_around(i, step);
  measure(step);
  reduce_and_pack(step);
  look_inside();
  use_attributes(step);
  use_fortrans(step);
}
