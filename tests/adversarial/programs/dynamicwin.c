/* Memory that others know by its address: attached to a window and detached again, and a window of all memory. */
#include <stddef.h>

#include "adversarial.h"

#define NODES 4

typedef struct {
  MPI_Aint next; /* of the next rank's list */
  double value;
} node_t;

static node_t *first, *list[NODES];

static MPI_Aint address_of(void* memory) {
  MPI_Aint address;
  MPI_Get_address(memory, &address);
  return address;
}

/* What the next rank says of itself. */
static MPI_Aint of_next(MPI_Aint own) {
  MPI_Aint next;
  MPI_Sendrecv(&own, 1, MPI_AINT, (rank + size - 1) % size, 0, &next, 1, MPI_AINT, (rank + 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  return next;
}

static void attach(MPI_Win window, int i) {
  list[i] = malloc(sizeof *list[i]);
  list[i]->value = 100 * rank + i;
  MPI_Win_attach(window, list[i], sizeof *list[i]);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Win dynamic, everything;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  double shown = rank;
  MPI_Win_create(MPI_BOTTOM, address_of(&shown) + 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &everything);
  const MPI_Aint target = of_next(address_of(&shown));
  for (int i = 0; i < NODES; i++) attach(dynamic, i);
  first = list[0];
  MPI_Win_lock_all(0, dynamic);
  MPI_Aint head = of_next(address_of(first));
  for (int i = 0; i < NODES; i++) {
    const MPI_Aint there = of_next(address_of(list[i]));
    if (i > 0) list[i - 1]->next = there;
  }
  for (int it = 0; it < 10; it++) {
    /* Along a list of which each node is said by the node before, here and on the next rank in turn. */
    node_t node;
    MPI_Get(&node, sizeof node, MPI_BYTE, (rank + 1) % size, head, sizeof node, MPI_BYTE, dynamic);
    MPI_Win_flush((rank + 1) % size, dynamic);
    const double more = node.value + it;
    MPI_Accumulate(&more, 1, MPI_DOUBLE, (rank + 1) % size, head + offsetof(node_t, value), 1, MPI_DOUBLE, MPI_SUM,
                   dynamic);
    MPI_Win_flush_all(dynamic);
    MPI_Win_fence(0, everything);
    MPI_Accumulate(&more, 1, MPI_DOUBLE, (rank + 1) % size, target, 1, MPI_DOUBLE, MPI_SUM, everything);
    MPI_Win_fence(0, everything);
    printf("%d %d %g %g %g\n", rank, it, more, shown, gsum(first->value));
    if (it == 4) {
      const int last = NODES - 1;
      MPI_Win_detach(dynamic, list[last]);
      free(list[last]);
      attach(dynamic, last);
      head = of_next(address_of(list[last]));
    }
  }
  MPI_Win_unlock_all(dynamic);
  for (int i = 0; i < NODES; i++) MPI_Win_detach(dynamic, list[i]);
  MPI_Win_free(&everything);
  MPI_Win_free(&dynamic);
  for (int i = 0; i < NODES; i++) free(list[i]);
  MPI_Finalize();
  return 0;
}
