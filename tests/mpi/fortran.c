/* Functions for Fortran that do not follow from those for C (through_fortran.cpp), called as f2c's C calls them:
 * numbers for handles, arguments by reference, lengths of character variables behind them. */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

enum { STATUS_SIZE = sizeof(MPI_Status) / sizeof(int) };

/* In all spellings. */
void mpi_add_error_class_(), mpi_add_error_code__(), mpi_add_error_string(), MPI_ERROR_CLASS(), mpi_error_string_();
void mpi_address_(), mpi_get_address_();
void mpi_attr_get_(), mpi_comm_get_attr__(), mpi_win_get_attr_(), mpi_buffer_attach_(), mpi_buffer_detach_();
void mpi_comm_dup(), MPI_COMM_FREE(), mpi_errhandler_get_(), mpi_errhandler_set_();
void mpi_comm_create_errhandler_(), mpi_win_create_errhandler_(), mpi_file_create_errhandler_();
void mpi_errhandler_create_(), mpi_errhandler_free_(), mpi_comm_call_errhandler_(), mpi_win_call_errhandler_();
void mpi_win_set_errhandler_(), mpi_file_set_errhandler_();
void mpi_dims_create_(), mpi_file_delete_(), mpi_f_sync_reg_(), mpi_finalized_();
void mpi_get_library_version_(), mpi_get_processor_name_(), mpi_get_version_(), mpi_is_thread_main_();
void mpi_query_thread_(), mpi_info_create_(), mpi_info_set_(), mpi_info_get_(), mpi_info_delete_(), mpi_info_free_();
void mpi_info_get_nthkey_(), mpi_info_get_valuelen_(), mpi_cart_create_(), mpi_neighbor_alltoallw_();
void mpi_ineighbor_alltoallw_(), mpi_wait_(), mpi_op_commutative_(), mpi_op_create_(), mpi_op_free_();
void mpi_allreduce_(), mpi_reduce_local_(), mpi_pack_external_(), mpi_pack_external_size_(), mpi_unpack_external_();
void mpi_pcontrol_(), mpi_status_set_elements_x_(), mpi_get_elements_(), mpi_get_elements_x_();
void mpi_type_extent_(), mpi_type_lb_(), mpi_type_ub_(), mpi_type_get_extent_(), mpi_type_get_extent_x_();
void mpi_type_get_true_extent_(), mpi_type_get_true_extent_x_(), mpi_type_size_x_(), mpi_type_match_size_();
void mpi_type_get_name_(), mpi_type_set_name_(), mpi_type_hvector_(), mpi_type_hindexed_(), mpi_type_struct_();
void mpi_type_commit_(), mpi_type_free_(), mpi_type_free_keyval_(), mpi_win_create_(), mpi_win_free_();
MPI_Aint mpi_aint_add_(), mpi_aint_diff_();
double mpi_wtime_(void), mpi_wtick__(void);

int mpi_fortran_in_place__; /* a common block of mpif.h */

static int world, integer, type_null, sum; /* as mpif.h says */
static int comm, pairs, blocks, structure, larger, info, window, error;
static int of_comm, of_window, of_file, of_old, failures[4], no_file; /* error handlers, what they were called for */
static int shown[4]; /* by the window */
static double last_time;

#define EXPECT_TEXT(variable, text) \
  EXPECT(memcmp(variable, text, sizeof text - 1) == 0 && variable[sizeof text - 1] == ' ')

static void pick_larger(int* in, int* inout, int* length, int* type) {
  if (*type != integer) abort();
  for (int i = 0; i < *length; ++i)
    if (in[i] > inout[i]) inout[i] = in[i];
}

static void comm_failed(int* failed, int* code) { failures[0] += *failed == comm && *code == MPI_ERR_OTHER; }
static void window_failed(int* failed, int* code) { failures[1] += *failed == window && *code == MPI_ERR_OTHER; }
static void file_failed(int* failed, int* code) { failures[2] += *failed == no_file && *code != MPI_SUCCESS; }
static void old_failed(int* failed, int* code) { failures[3] += *failed == comm && *code == MPI_ERR_OTHER; }

static void make_handlers(void) {
  mpi_comm_create_errhandler_(comm_failed, &of_comm, &error);
  mpi_win_create_errhandler_(window_failed, &of_window, &error);
  mpi_file_create_errhandler_(file_failed, &of_file, &error);
  mpi_errhandler_create_(old_failed, &of_old, &error);
  no_file = MPI_File_c2f(MPI_FILE_NULL);
  mpi_win_set_errhandler_(&window, &of_window, &error);
}

static void make_types(void) {
  int count = 2, length = 1, stride = 12, lengths[] = {1, 2}, places[] = {0, 8}, types[] = {integer, 0};
  mpi_type_hvector_(&count, &length, &stride, &integer, &pairs, &error);
  types[1] = pairs;
  mpi_type_hindexed_(&count, lengths, places, &integer, &blocks, &error);
  mpi_type_struct_(&count, lengths, places, types, &structure, &error);
  mpi_type_commit_(&structure, &error);
  mpi_type_set_name_(&structure, "parts  ", &error, 7);
}

void make_objects(void) {
  int yes = 1;
  world = MPI_Comm_c2f(MPI_COMM_WORLD);
  integer = MPI_Type_c2f(MPI_INTEGER);
  type_null = MPI_Type_c2f(MPI_DATATYPE_NULL);
  sum = MPI_Op_c2f(MPI_SUM);
  mpi_comm_dup(&world, &comm, &error);
  make_types();
  mpi_op_create_(pick_larger, &yes, &larger, &error);
  mpi_info_create_(&info, &error);
  mpi_info_set_(&info, " colour ", "blue", &error, 8, 4);
  MPI_Aint size = sizeof shown;
  int unit = 4;
  mpi_win_create_(shown, &size, &unit, &info, &comm, &window, &error);
  make_handlers();
}

static void use_types(void) {
  int small, kind = MPI_TYPECLASS_INTEGER, bytes = 4, found, length;
  MPI_Aint lowest, extent;
  MPI_Count lowest_x, extent_x;
  char name[20];
  mpi_type_extent_(&pairs, &small, &error);
  EXPECT(small == 16);
  mpi_type_lb_(&blocks, &small, &error);
  EXPECT(small == 0);
  mpi_type_ub_(&blocks, &small, &error);
  EXPECT(small == 16);
  mpi_type_get_extent_(&structure, &lowest, &extent, &error);
  EXPECT(lowest == 0 && extent == 40);
  mpi_type_get_true_extent_(&structure, &lowest, &extent, &error);
  EXPECT(lowest == 0 && extent == 40);
  mpi_type_get_extent_x_(&structure, &lowest_x, &extent_x, &error);
  EXPECT(lowest_x == 0 && extent_x == 40);
  mpi_type_get_true_extent_x_(&structure, &lowest_x, &extent_x, &error);
  EXPECT(lowest_x == 0 && extent_x == 40);
  mpi_type_size_x_(&structure, &extent_x, &error);
  EXPECT(extent_x == 20);
  mpi_type_match_size_(&kind, &bytes, &found, &error);
  EXPECT(MPI_Type_f2c(found) == MPI_INTEGER4 || MPI_Type_f2c(found) == MPI_INTEGER);
  mpi_type_get_name_(&structure, name, &length, &error, (int)sizeof name);
  EXPECT(length == 5);
  EXPECT_TEXT(name, "parts");
}

static void use_addresses(void) {
  int parts[4], low, high, status[STATUS_SIZE] = {0}, count;
  MPI_Aint one, other, size = 12;
  MPI_Count many = 3, counted;
  mpi_address_(&parts[0], &low, &error);
  mpi_address_(&parts[3], &high, &error);
  EXPECT((unsigned)high - (unsigned)low == 12);
  mpi_get_address_(&parts[0], &one, &error);
  mpi_get_address_(&parts[3], &other, &error);
  EXPECT(mpi_aint_diff_(&other, &one) == 12);
  EXPECT(mpi_aint_add_(&one, &size) == other);
  mpi_f_sync_reg_(parts);
  mpi_status_set_elements_x_(status, &integer, &many, &error);
  mpi_get_elements_(status, &integer, &count, &error);
  mpi_get_elements_x_(status, &integer, &counted, &error);
  EXPECT(count == 3 && counted == 3);
}

static void use_attributes(void) {
  int key = MPI_TAG_UB, small = 0, found = 0, base = MPI_WIN_BASE, size = MPI_WIN_SIZE, unit = MPI_WIN_DISP_UNIT;
  MPI_Aint value = 0;
  mpi_attr_get_(&comm, &key, &small, &found, &error);
  EXPECT(found && small >= 32767);
  mpi_comm_get_attr__(&comm, &key, &value, &found, &error);
  EXPECT(found && value == small);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
  mpi_type_free_keyval_(&key, &error);
  EXPECT(key == MPI_KEYVAL_INVALID);
  mpi_win_get_attr_(&window, &base, &value, &found, &error);
  EXPECT(found && value == (MPI_Aint)shown);
  mpi_win_get_attr_(&window, &size, &value, &found, &error);
  EXPECT(found && value == 16);
  mpi_win_get_attr_(&window, &unit, &value, &found, &error);
  EXPECT(found && value == 4);
}

static void use_info(void) {
  int length = 0, found = 0, first = 0, more = 10;
  char value[10], key[12];
  mpi_info_get_valuelen_(&info, "colour ", &length, &found, &error, 7);
  EXPECT(found && length == 4);
  mpi_info_get_(&info, " colour", &more, value, &found, &error, 7, (int)sizeof value);
  EXPECT(found);
  EXPECT_TEXT(value, "blue");
  mpi_info_get_nthkey_(&info, &first, key, &error, (int)sizeof key);
  EXPECT_TEXT(key, "colour");
  mpi_info_set_(&info, "shape", "round", &error, 5, 5);
  mpi_info_delete_(&info, "shape", &error, 5);
  mpi_info_get_(&info, "shape", &more, value, &found, &error, 5, (int)sizeof value);
  EXPECT(!found);
}

static void use_operations(int step) {
  int in = step, inout = 5, one = 1, commutes = 0;
  mpi_reduce_local_(&in, &inout, &one, &integer, &larger, &error);
  EXPECT(inout == (step > 5 ? step : 5));
  mpi_op_commutative_(&larger, &commutes, &error);
  EXPECT(commutes);
  in = me + step;
  mpi_allreduce_(&mpi_fortran_in_place__, &in, &one, &integer, &larger, &comm, &error);
  EXPECT(in == ranks - 1 + step);
  in = 2;
  mpi_allreduce_(&mpi_fortran_in_place__, &in, &one, &integer, &sum, &comm, &error);
  EXPECT(in == 2 * ranks);
}

static void use_packing(int step) {
  char packed[8];
  int one = 1, out = step, in = -1;
  MPI_Aint size = 0, position = 0, whole = sizeof packed;
  mpi_pack_external_size_("external32 ", &one, &integer, &size, &error, 11);
  EXPECT(size == 4);
  mpi_pack_external_("external32", &out, &one, &integer, packed, &whole, &position, &error, 10);
  position = 0;
  mpi_unpack_external_("external32", packed, &whole, &position, &in, &one, &integer, &error, 10);
  EXPECT(in == step);
}

/* Each to both of its neighbours in a ring. */
static void use_neighbours(int step) {
  int one = 1, yes = 1, grid, request, counts[] = {1, 1}, types[] = {integer, integer}, out[2], in[2];
  MPI_Aint places[] = {0, 4};
  int status[STATUS_SIZE];
  mpi_cart_create_(&comm, &one, &ranks, &yes, &one, &grid, &error);
  out[0] = out[1] = 100 * step + me;
  for (int way = 0; way < 2; ++way) {
    in[0] = in[1] = -1;
    if (way == 0) {
      mpi_neighbor_alltoallw_(out, counts, places, types, in, counts, places, types, &grid, &error);
    } else {
      mpi_ineighbor_alltoallw_(out, counts, places, types, in, counts, places, types, &grid, &request, &error);
      mpi_wait_(&request, status, &error);
    }
    EXPECT(in[0] == 100 * step + before && in[1] == 100 * step + after);
  }
  MPI_COMM_FREE(&grid, &error);
  EXPECT(MPI_Comm_f2c(grid) == MPI_COMM_NULL);
}

static void use_errors(void) {
  int class, code, said, length, handler, other = MPI_Errhandler_c2f(MPI_ERRORS_RETURN);
  char text[40];
  mpi_add_error_class_(&class, &error);
  mpi_add_error_code__(&class, &code, &error);
  mpi_add_error_string(&code, "wet   ", &error, 6);
  MPI_ERROR_CLASS(&code, &said, &error);
  EXPECT(said == class);
  mpi_error_string_(&code, text, &length, &error, (int)sizeof text);
  EXPECT_TEXT(text, "wet");
  mpi_errhandler_set_(&comm, &other, &error);
  mpi_errhandler_get_(&comm, &handler, &error);
  EXPECT(handler == other);
  other = MPI_Info_c2f(MPI_INFO_NULL);
  mpi_file_delete_("no-such-folder/file  ", &other, &error, 21);
  EXPECT(error != MPI_SUCCESS);
}

static void use_handlers(int step) {
  int code = MPI_ERR_OTHER, none = MPI_Info_c2f(MPI_INFO_NULL), returned = MPI_Errhandler_c2f(MPI_ERRORS_RETURN);
  mpi_errhandler_set_(&comm, &of_comm, &error);
  mpi_comm_call_errhandler_(&comm, &code, &error);
  mpi_errhandler_set_(&comm, &of_old, &error);
  mpi_comm_call_errhandler_(&comm, &code, &error);
  mpi_errhandler_set_(&comm, &returned, &error);
  mpi_win_call_errhandler_(&window, &code, &error);
  mpi_file_set_errhandler_(&no_file, &of_file, &error);
  mpi_file_delete_("no-such-folder/file  ", &none, &error, 21);
  mpi_file_set_errhandler_(&no_file, &returned, &error);
  for (int i = 0; i < 4; ++i) EXPECT(failures[i] == step + 1);
}

static void use_environment(void) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING + 10];
  int length, version, minor, flag = 1, level, two = 2, dims[2] = {0, 0}, size = 1000, detached;
  static char buffer[1000];
  mpi_get_version_(&version, &minor, &error);
  EXPECT(version == MPI_VERSION && minor == MPI_SUBVERSION);
  mpi_get_library_version_(text, &length, &error, (int)sizeof text);
  EXPECT(length > 0 && text[length] == ' ');
  mpi_get_processor_name_(text, &length, &error, (int)sizeof text);
  EXPECT(length > 0 && text[length] == ' ');
  mpi_finalized_(&flag, &error);
  EXPECT(!flag);
  mpi_is_thread_main_(&flag, &error);
  EXPECT(flag);
  mpi_query_thread_(&level, &error);
  EXPECT(level >= MPI_THREAD_SINGLE);
  mpi_dims_create_(&ranks, &two, dims, &error);
  EXPECT(dims[0] * dims[1] == ranks);
  mpi_pcontrol_(&two);
  mpi_buffer_attach_(buffer, &size, &error);
  mpi_buffer_detach_(buffer, &detached, &error);
  EXPECT(detached == size);
  EXPECT(mpi_wtime_() >= last_time && mpi_wtick__() > 0);
  last_time = mpi_wtime_();
}

void use_objects(int step) {
  use_types();
  use_addresses();
  use_attributes();
  use_info();
  use_operations(step);
  use_packing(step);
  use_neighbours(step);
  use_errors();
  use_handlers(step);
  use_environment();
}

void free_objects(void) {
  for (int i = 0; i < 4; ++i) mpi_errhandler_free_((int*[]){&of_comm, &of_window, &of_file, &of_old}[i], &error);
  int* const types[] = {&pairs, &blocks, &structure};
  for (int i = 0; i < 3; ++i) {
    mpi_type_free_(types[i], &error);
    EXPECT(*types[i] == type_null);
  }
  mpi_op_free_(&larger, &error);
  mpi_info_free_(&info, &error);
  mpi_win_free_(&window, &error);
  MPI_COMM_FREE(&comm, &error);
}
