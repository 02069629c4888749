/* Files: every way to write and read, with a view of each rank's own columns and with shared positions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"

enum { COLUMNS = 4, WAYS = 11 };

static MPI_File table, log_file; /* each rank's columns of a table; lines in any order */
static char table_name[64], log_name[64];
static long lines; /* in the log */
static MPI_Errhandler counting;
static int errors, errors_of_none;

static void count_error(MPI_File* file, int* code, ...) {
  (void)code;
  EXPECT(*file == log_file || *file == MPI_FILE_NULL);
  if (*file == MPI_FILE_NULL) ++errors_of_none;
  if (*file == log_file) ++errors;
}

static void make_names(void) {
  int id = (int)getpid();
  MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(table_name, sizeof table_name, "conformance-%d.table", id);
  snprintf(log_name, sizeof log_name, "conformance-%d.log", id);
}

void make_objects(void) {
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  MPI_Datatype columns, row;
  make_names();
  MPI_File_open(MPI_COMM_WORLD, table_name, mode, MPI_INFO_NULL, &table);
  MPI_File_open(MPI_COMM_WORLD, log_name, mode, MPI_INFO_NULL, &log_file);
  MPI_File_preallocate(table, 64);
  MPI_File_set_size(table, 0);
  MPI_File_set_info(log_file, MPI_INFO_NULL);
  MPI_File_set_errhandler(table, MPI_ERRORS_ARE_FATAL);
  MPI_File_create_errhandler(count_error, &counting);
  MPI_File_set_errhandler(log_file, counting);
  MPI_File_set_errhandler(MPI_FILE_NULL, counting);
  MPI_Errhandler_free(&counting); /* the files have it on */
  MPI_Type_contiguous(COLUMNS, MPI_INT, &columns);
  MPI_Type_create_resized(columns, 0, ranks * COLUMNS * (MPI_Aint)sizeof(int), &row);
  MPI_Type_commit(&row);
  MPI_File_set_view(table, me * COLUMNS * (MPI_Offset)sizeof(int), MPI_INT, row, "native", MPI_INFO_NULL);
  MPI_File_set_view(log_file, 0, MPI_LONG, MPI_LONG, "native", MPI_INFO_NULL);
  MPI_File_set_atomicity(log_file, 1);
  MPI_Type_free(&columns);
  MPI_Type_free(&row);
}

void free_objects(void) {
  MPI_File_close(&table);
  MPI_File_close(&log_file);
  EXPECT(MPI_File_delete("/nowhere/at all", MPI_INFO_NULL) != MPI_SUCCESS);
  EXPECT(access(table_name, F_OK) != 0);
}

static void fill(int* row, int number) {
  for (int i = 0; i < COLUMNS; ++i) row[i] = 1000 * number + 10 * me + i;
}

static void wait(MPI_Request* request) { MPI_Wait(request, MPI_STATUS_IGNORE); }

/* The next rows, each written in another way. */
static void write_rows(int step) {
  const int first = WAYS * step;
  int row[COLUMNS];
  MPI_Request request;
  MPI_Offset position;
  fill(row, first), MPI_File_write(table, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  fill(row, first + 1), MPI_File_write_all(table, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  fill(row, first + 2), MPI_File_iwrite(table, row, COLUMNS, MPI_INT, &request), wait(&request);
  fill(row, first + 3), MPI_File_iwrite_all(table, row, COLUMNS, MPI_INT, &request), wait(&request);
  fill(row, first + 4), MPI_File_write_all_begin(table, row, COLUMNS, MPI_INT);
  MPI_File_write_all_end(table, row, MPI_STATUS_IGNORE);
  MPI_File_get_position(table, &position);
  EXPECT(position == (first + 5) * COLUMNS);
  fill(row, first + 5), MPI_File_write_at(table, position, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  position += COLUMNS;
  fill(row, first + 6), MPI_File_write_at_all(table, position, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  position += COLUMNS;
  fill(row, first + 7), MPI_File_iwrite_at(table, position, row, COLUMNS, MPI_INT, &request), wait(&request);
  position += COLUMNS;
  fill(row, first + 8), MPI_File_iwrite_at_all(table, position, row, COLUMNS, MPI_INT, &request), wait(&request);
  position += COLUMNS;
  fill(row, first + 9), MPI_File_write_at_all_begin(table, position, row, COLUMNS, MPI_INT);
  MPI_File_write_at_all_end(table, row, MPI_STATUS_IGNORE);
  position += COLUMNS;
  MPI_File_seek(table, position, MPI_SEEK_SET);
  fill(row, first + 10), MPI_File_write(table, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
}

static bool is_row(const int* row, int number) {
  int expected[COLUMNS];
  fill(expected, number);
  return memcmp(row, expected, sizeof expected) == 0;
}

/* Rows of earlier steps, each read in another way; leaves the position where it was. */
static void read_rows(int step) {
  int row[COLUMNS];
  MPI_Request request;
  MPI_Offset end;
  const int from = WAYS * (step / 2);
  MPI_File_get_position(table, &end);
  MPI_File_seek(table, from * COLUMNS, MPI_SEEK_SET);
  MPI_File_read(table, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  EXPECT(is_row(row, from));
  MPI_File_read_all(table, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  EXPECT(is_row(row, from + 1));
  MPI_File_iread(table, row, COLUMNS, MPI_INT, &request), wait(&request);
  EXPECT(is_row(row, from + 2));
  MPI_File_iread_all(table, row, COLUMNS, MPI_INT, &request), wait(&request);
  EXPECT(is_row(row, from + 3));
  MPI_File_read_all_begin(table, row, COLUMNS, MPI_INT), MPI_File_read_all_end(table, row, MPI_STATUS_IGNORE);
  EXPECT(is_row(row, from + 4));
  MPI_File_read_at(table, (from + 5) * COLUMNS, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  EXPECT(is_row(row, from + 5));
  MPI_File_read_at_all(table, (from + 6) * COLUMNS, row, COLUMNS, MPI_INT, MPI_STATUS_IGNORE);
  EXPECT(is_row(row, from + 6));
  MPI_File_iread_at(table, (from + 7) * COLUMNS, row, COLUMNS, MPI_INT, &request), wait(&request);
  EXPECT(is_row(row, from + 7));
  MPI_File_iread_at_all(table, (from + 8) * COLUMNS, row, COLUMNS, MPI_INT, &request), wait(&request);
  EXPECT(is_row(row, from + 8));
  MPI_File_read_at_all_begin(table, (from + 9) * COLUMNS, row, COLUMNS, MPI_INT);
  MPI_File_read_at_all_end(table, row, MPI_STATUS_IGNORE);
  EXPECT(is_row(row, from + 9));
  MPI_File_seek(table, end, MPI_SEEK_SET);
}

/* Each rank adds a line in four ways, and takes one back in four. */
static void use_shared_position(int step) {
  const long line = 100 * step + me;
  long got[4] = {-1, -1, -1, -1};
  MPI_Request request;
  MPI_Offset position;
  MPI_File_get_position_shared(log_file, &position);
  EXPECT(position == lines);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_write_shared(log_file, &line, 1, MPI_LONG, MPI_STATUS_IGNORE);
  MPI_File_iwrite_shared(log_file, &line, 1, MPI_LONG, &request), wait(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_write_ordered(log_file, &line, 1, MPI_LONG, MPI_STATUS_IGNORE);
  MPI_File_write_ordered_begin(log_file, &line, 1, MPI_LONG),
      MPI_File_write_ordered_end(log_file, &line, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(log_file, lines + 2 * ranks, MPI_SEEK_SET);
  MPI_File_read_ordered(log_file, &got[0], 1, MPI_LONG, MPI_STATUS_IGNORE);
  MPI_File_read_ordered_begin(log_file, &got[1], 1, MPI_LONG);
  MPI_File_read_ordered_end(log_file, &got[1], MPI_STATUS_IGNORE);
  EXPECT(got[0] == line && got[1] == line);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(log_file, lines, MPI_SEEK_SET);
  MPI_File_read_shared(log_file, &got[2], 1, MPI_LONG, MPI_STATUS_IGNORE);
  MPI_File_iread_shared(log_file, &got[3], 1, MPI_LONG, &request), wait(&request);
  EXPECT(got[2] / 100 == step && got[3] / 100 == step);
  MPI_Barrier(MPI_COMM_WORLD);
  lines += 4 * ranks;
  MPI_File_seek_shared(log_file, lines, MPI_SEEK_SET);
}

static void meet_errors(int step) {
  MPI_Errhandler handler, of_none;
  MPI_File none;
  MPI_File_get_errhandler(log_file, &handler);
  MPI_File_get_errhandler(MPI_FILE_NULL, &of_none);
  EXPECT(handler != MPI_ERRORS_RETURN && of_none != MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&of_none);
  MPI_File_call_errhandler(log_file, MPI_ERR_OTHER);
  EXPECT(errors == step + 1);
  EXPECT(MPI_File_open(MPI_COMM_SELF, "/nowhere/at all", MPI_MODE_RDONLY, MPI_INFO_NULL, &none) != MPI_SUCCESS);
  EXPECT(errors_of_none == step + 1);
}

static void look(void) {
  MPI_Offset size, offset;
  MPI_Datatype etype, filetype;
  MPI_Aint extent;
  MPI_Group group;
  MPI_Info info;
  MPI_Errhandler handler;
  char representation[MPI_MAX_DATAREP_STRING];
  int mode, atomic, members;
  MPI_File_get_amode(table, &mode);
  EXPECT((mode & MPI_MODE_RDWR) != 0);
  MPI_File_get_atomicity(log_file, &atomic);
  EXPECT(atomic);
  MPI_File_get_size(log_file, &size);
  EXPECT(size == lines * (MPI_Offset)sizeof(long));
  MPI_File_get_byte_offset(table, COLUMNS, &offset);
  EXPECT(offset == (me + ranks) * COLUMNS * (MPI_Offset)sizeof(int));
  MPI_File_get_type_extent(table, MPI_INT, &extent);
  EXPECT(extent == (MPI_Aint)sizeof(int));
  MPI_File_get_view(table, &offset, &etype, &filetype, representation);
  EXPECT(offset == me * COLUMNS * (MPI_Offset)sizeof(int) && strcmp(representation, "native") == 0);
  MPI_Type_free(&filetype);
  MPI_File_get_group(table, &group);
  MPI_Group_size(group, &members);
  EXPECT(members == ranks);
  MPI_Group_free(&group);
  MPI_File_get_info(table, &info);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  MPI_File_get_errhandler(table, &handler);
  EXPECT(handler == MPI_ERRORS_ARE_FATAL);
}

void use_objects(int step) {
  write_rows(step);
  read_rows(step);
  use_shared_position(step);
  look();
  meet_errors(step);
  MPI_File_sync(table);
}
