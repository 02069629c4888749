/* Free slots are a list through a union. */
#include "adversarial.h"
union slot {
  union slot* next;
  double value;
};
static union slot *slots, *unused;
static union slot* take(double value) {
  union slot* slot = unused;
  unused = slot->next;
  slot->value = value;
  return slot;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  slots = malloc(32 * sizeof *slots);
  for (int i = 0; i < 32; i++) slots[i].next = i < 31 ? &slots[i + 1] : NULL;
  unused = slots;
  union slot* used[16];
  for (int i = 0; i < 16; i++) used[i] = take(i + rank);
  double sum = 0;
  for (int it = 0; it < 10; it++) {
    used[it]->next = unused;
    unused = used[it];
    gsum(it);
    used[it] = take(it);
    for (int i = 0; i < 16; i++) sum += used[i]->value;
  }
  printf("%d %g\n", rank, sum);
  MPI_Finalize();
  return 0;
}
