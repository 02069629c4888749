/* Handles of files of MPI in a global, on the heap and in an array, and all ways to read and write. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { STEPS = 12 };
struct output {
  MPI_File records;
  MPI_Offset at;
};
static MPI_File journal = MPI_FILE_NULL;
static MPI_File open_new(const char* name) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof path, "%s/%s", getenv("TMPDIR"), name);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  return file;
}
static void set_view(MPI_File file) {
  MPI_Datatype element, spaced;
  MPI_Type_contiguous(2, MPI_INT, &element);
  MPI_Type_create_resized(element, 0, 3 * (MPI_Aint)sizeof(int), &spaced);
  MPI_Type_commit(&element);
  MPI_Type_commit(&spaced);
  MPI_File_set_view(file, sizeof(int), element, spaced, "native", MPI_INFO_NULL);
  MPI_Type_free(&element);
  MPI_Type_free(&spaced);
}
static long digest(MPI_File file) {
  MPI_Offset size;
  long sum = 0;
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_get_size(file, &size);
  for (MPI_Offset i = 0; i < size / (MPI_Offset)sizeof(int); i++) {
    int value;
    MPI_File_read_at(file, i, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    sum = 31 * sum % 1000003 + value;
  }
  return sum;
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  struct output* output = malloc(sizeof *output);
  MPI_File spare[2] = {MPI_FILE_NULL, open_new("spare")};
  output->records = open_new("records");
  output->at = 100;
  journal = open_new("journal");
  set_view(output->records);
  long seen = 0;
  for (int step = 0; step < STEPS; step++) {
    int pair[2] = {step, 10 * step}, copy[2] = {0, 0}, last = -1;
    MPI_Request request;
    MPI_File_write_all(output->records, pair, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at(output->records, output->at++, pair, 2, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_write_shared(journal, &step, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(spare[1], 4 * step, pair, 1, MPI_INT);
    MPI_File_write_at_all_end(spare[1], pair, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(output->records, step, copy, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(spare[1], 4 * step, &last, 1, MPI_INT, MPI_STATUS_IGNORE);
    seen += copy[1] + last + (spare[0] == MPI_FILE_NULL);
    MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  printf("%ld %ld %ld %ld\n", seen, digest(output->records), digest(journal), digest(spare[1]));
  MPI_File_close(&output->records);
  MPI_File_close(&journal);
  MPI_File_close(&spare[1]);
  free(output);
  MPI_Finalize();
  return 0;
}
