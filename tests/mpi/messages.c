/* Messages in every mode, persistent ones too, and every way to wait for them; a buffer that is attached for good. */
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

enum { MODES = 4 };

static MPI_Comm ring;
static MPI_Request sends[MODES], receives[MODES]; /* persistent */
static int outgoing[MODES], incoming[MODES];
static char* buffer;
static long completed;   /* generalized requests */
static MPI_Message held; /* from one step to the next */
static int held_value;

void make_objects(void) {
  MPI_Comm_dup(MPI_COMM_WORLD, &ring);
  buffer = malloc(10000);
  MPI_Buffer_attach(buffer, 10000);
  MPI_Send_init(&outgoing[0], 1, MPI_INT, after, 10, ring, &sends[0]);
  MPI_Bsend_init(&outgoing[1], 1, MPI_INT, after, 11, ring, &sends[1]);
  MPI_Ssend_init(&outgoing[2], 1, MPI_INT, after, 12, ring, &sends[2]);
  MPI_Rsend_init(&outgoing[3], 1, MPI_INT, after, 13, ring, &sends[3]);
  for (int i = 0; i < MODES; ++i) MPI_Recv_init(&incoming[i], 1, MPI_INT, before, 10 + i, ring, &receives[i]);
}

static void receive_held(void) {
  int in = -1;
  MPI_Status status;
  MPI_Mrecv(&in, 1, MPI_INT, &held, &status);
  EXPECT(in == held_value && status.MPI_TAG == 97);
}

static void use_held(int step) {
  const int out = 100 * me + step;
  if (step > 0) receive_held();
  MPI_Send(&out, 1, MPI_INT, after, 97, ring);
  MPI_Mprobe(before, 97, ring, &held, MPI_STATUS_IGNORE);
  held_value = 100 * before + step;
}

void free_objects(void) {
  void* detached;
  int size;
  receive_held();
  for (int i = 0; i < MODES; ++i) {
    MPI_Request_free(&sends[i]);
    MPI_Request_free(&receives[i]);
  }
  MPI_Buffer_detach(&detached, &size);
  EXPECT(detached == buffer && size == 10000);
  free(buffer);
  MPI_Comm_free(&ring);
}

static void post(int* in, MPI_Request* requests, int count) {
  for (int i = 0; i < count; ++i) MPI_Irecv(&in[i], 1, MPI_INT, before, i, ring, &requests[i]);
  MPI_Barrier(ring); /* ready sends need their receives */
}

static bool arrived(const int* in, int count, int step) {
  bool right = true;
  for (int i = 0; i < count; ++i) right = right && in[i] == 100 * before + 10 * step + i;
  return right;
}

static void use_blocking_sends(int step) {
  int in[4], out[4];
  MPI_Request requests[4];
  for (int i = 0; i < 4; ++i) out[i] = 100 * me + 10 * step + i;
  post(in, requests, 4);
  MPI_Send(&out[0], 1, MPI_INT, after, 0, ring);
  MPI_Bsend(&out[1], 1, MPI_INT, after, 1, ring);
  MPI_Ssend(&out[2], 1, MPI_INT, after, 2, ring);
  MPI_Rsend(&out[3], 1, MPI_INT, after, 3, ring);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  EXPECT(arrived(in, 4, step));
}

static void use_non_blocking_sends(int step) {
  int in[4], out[4], index, count, indices[8];
  MPI_Request requests[8];
  MPI_Status statuses[8];
  for (int i = 0; i < 4; ++i) out[i] = 100 * me + 10 * step + i;
  post(in, requests, 4);
  MPI_Isend(&out[0], 1, MPI_INT, after, 0, ring, &requests[4]);
  MPI_Ibsend(&out[1], 1, MPI_INT, after, 1, ring, &requests[5]);
  MPI_Issend(&out[2], 1, MPI_INT, after, 2, ring, &requests[6]);
  MPI_Irsend(&out[3], 1, MPI_INT, after, 3, ring, &requests[7]);
  MPI_Waitany(8, requests, &index, MPI_STATUS_IGNORE);
  EXPECT(requests[index] == MPI_REQUEST_NULL);
  MPI_Waitsome(8, requests, &count, indices, statuses);
  EXPECT(count >= 1 && requests[indices[0]] == MPI_REQUEST_NULL);
  MPI_Waitall(8, requests, statuses);
  EXPECT(arrived(in, 4, step));
}

static void use_tests(int step) {
  int in[5], index, count, indices[5], flag;
  MPI_Request requests[5];
  MPI_Status statuses[5];
  post(in, requests, 5);
  for (int i = 0; i < 5; ++i) {
    const int out = 100 * me + 10 * step + i;
    MPI_Send(&out, 1, MPI_INT, after, i, ring);
  }
  for (flag = 0; !flag;) MPI_Request_get_status(requests[0], &flag, &statuses[0]);
  EXPECT(statuses[0].MPI_SOURCE == before && requests[0] != MPI_REQUEST_NULL);
  for (flag = 0; !flag;) MPI_Test(&requests[0], &flag, &statuses[0]);
  for (flag = 0; !flag;) MPI_Testany(2, &requests[1], &index, &flag, &statuses[0]);
  EXPECT(statuses[0].MPI_TAG == 1 + index);
  for (count = 0; count <= 0 && count != MPI_UNDEFINED;) MPI_Testsome(5, requests, &count, indices, statuses);
  for (flag = 0; !flag;) MPI_Testall(5, requests, &flag, statuses);
  EXPECT(arrived(in, 5, step));
}

static void use_persistent(int step) {
  for (int i = 0; i < MODES; ++i) outgoing[i] = 100 * me + 10 * step + i;
  MPI_Startall(MODES, receives);
  MPI_Barrier(ring);
  MPI_Start(&sends[0]);
  MPI_Startall(MODES - 1, &sends[1]);
  MPI_Waitall(MODES, receives, MPI_STATUSES_IGNORE);
  MPI_Waitall(MODES, sends, MPI_STATUSES_IGNORE);
  EXPECT(arrived(incoming, MODES, step));
}

static void use_probes(int step) {
  int in[4] = {0}, flag;
  char packed[64];
  MPI_Status status;
  MPI_Message message;
  MPI_Request requests[4], request;
  int out[4];
  for (int i = 0; i < 4; ++i) {
    out[i] = 100 * me + 10 * step + i;
    MPI_Isend(&out[i], 1, MPI_INT, after, i, ring, &requests[i]);
  }
  MPI_Probe(before, 0, ring, &status);
  MPI_Recv(&in[0], 1, MPI_INT, status.MPI_SOURCE, 0, ring, MPI_STATUS_IGNORE);
  for (flag = 0; !flag;) MPI_Iprobe(before, 1, ring, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(packed, sizeof packed, MPI_PACKED, before, 1, ring, MPI_STATUS_IGNORE);
  int position = 0, size;
  MPI_Unpack(packed, sizeof packed, &position, &in[1], 1, MPI_INT, ring);
  MPI_Mprobe(before, 2, ring, &message, &status);
  MPI_Mrecv(&in[2], 1, MPI_INT, &message, &status);
  for (flag = 0; !flag;) MPI_Improbe(before, 3, ring, &flag, &message, &status);
  MPI_Imrecv(&in[3], 1, MPI_INT, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  EXPECT(arrived(in, 4, step));
  MPI_Pack_size(1, MPI_INT, ring, &size);
  EXPECT(size >= (int)sizeof(int));
}

static void use_exchanges(int step) {
  int out = 100 * me + 10 * step, in = -1;
  char packed[64];
  int position = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, after, 1, &in, 1, MPI_INT, before, 1, ring, MPI_STATUS_IGNORE);
  EXPECT(arrived(&in, 1, step));
  MPI_Sendrecv_replace(&out, 1, MPI_INT, after, 1, before, 1, ring, MPI_STATUS_IGNORE);
  EXPECT(arrived(&out, 1, step));
  MPI_Pack(&out, 1, MPI_INT, packed, sizeof packed, &position, ring);
  position = 0;
  MPI_Unpack(packed, sizeof packed, &position, &in, 1, MPI_INT, ring);
  EXPECT(in == out);
}

static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, (int)*(long*)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

static int release(void* state) {
  ++*(long*)state;
  return MPI_SUCCESS;
}

static int cancel(void* state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

static void use_generalized(int step) {
  MPI_Request request;
  MPI_Status status;
  int count, cancelled, in = 0;
  MPI_Grequest_start(query, release, cancel, &completed, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT(count == step && completed == step + 1);
  MPI_Irecv(&in, 1, MPI_INT, before, 99, ring, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  EXPECT(cancelled);
  MPI_Isend(&step, 1, MPI_INT, after, 98, ring, &request);
  MPI_Request_free(&request);
  MPI_Recv(&in, 1, MPI_INT, before, 98, ring, MPI_STATUS_IGNORE);
  EXPECT(in == step);
}

void use_objects(int step) {
  use_blocking_sends(step);
  use_non_blocking_sends(step);
  use_tests(step);
  use_persistent(step);
  use_probes(step);
  use_held(step);
  use_exchanges(step);
  use_generalized(step);
}
