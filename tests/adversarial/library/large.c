/* A large array that its constructor has written to, in each process elsewhere. */
#include <unistd.h>
enum { many = 32 << 20, page = 4096 };
static char array[many];
static long touched(void) { return getpid() % (many / page) * page; }
__attribute__((constructor)) static void touch(void) { array[touched()] = 1; }
/* In the same process. */
void take_back(void) { array[touched()] = 0; }
long sum_of_large(void) {
  long sum = 0;
  for (long i = 0; i < many; i += page) sum += array[i];
  return sum;
}
