/* Pages that mprotect() has closed, in blocks of the heap, in variables and on the stack: they are so after a move, with
   what is in them; code in a block can be run. And what a program has said about signals of which MPI has handlers. */
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
static char variables[4 * PAGE] __attribute__((aligned(PAGE)));
static sigjmp_buf back;
static char stack_of_handlers[65536];

static void caught(int number) { siglongjmp(back, number); }

/* Which accesses are faults. */
static int forbidden(volatile char* at) {
  struct sigaction action = {.sa_handler = caught, .sa_flags = SA_ONSTACK}, before;
  int faults = 0;
  sigaction(SIGSEGV, &action, &before);
  if (sigsetjmp(back, 1) == 0)
    (void)*at;
  else
    faults += 1;
  if (sigsetjmp(back, 1) == 0)
    *at = *at;
  else
    faults += 2;
  sigaction(SIGSEGV, &before, 0);
  return faults;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *guarded, *code, *constant;
  posix_memalign((void**)&guarded, PAGE, 4 * PAGE);
  posix_memalign((void**)&constant, PAGE, 2 * PAGE);
  posix_memalign((void**)&code, PAGE, PAGE);
  memset(guarded, 7, 4 * PAGE);
  memset(constant, 8, 2 * PAGE);
  memset(variables, 9, sizeof variables);
  memcpy(code, "\xb8\x2a\x00\x00\x00\xc3", 6); /* mov $42, %eax; ret */
  mprotect(guarded + PAGE, PAGE, PROT_NONE);
  mprotect(constant, PAGE, PROT_READ);
  mprotect(variables + PAGE, PAGE, PROT_READ);
  mprotect(variables + 2 * PAGE, PAGE, PROT_NONE);
  mprotect(code, PAGE, PROT_READ | PROT_EXEC);
  stack_t stack = {.ss_sp = stack_of_handlers, .ss_size = sizeof stack_of_handlers, .ss_flags = (int)0x80000000};
  sigaltstack(&stack, 0); /* SS_AUTODISARM */
  signal(SIGBUS, SIG_DFL);
  struct sigaction no_zombies = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT}, now;
  sigaction(SIGCHLD, &no_zombies, 0);
  for (int it = 1; it <= 10; ++it) {
    int (*run)(void) = (int (*)(void))code;
    int found[8] = {forbidden(guarded),  forbidden(guarded + PAGE), forbidden(constant),
                    forbidden(variables), forbidden(variables + PAGE), forbidden(variables + 2 * PAGE), run(), 0};
    sigaltstack(0, &stack);
    found[7] = (stack.ss_flags & (int)0x80000000) != 0;
    for (int i = 0; i < 8; ++i) printf("%d %d %d %d\n", rank, it, i, found[i]);
    sigaction(SIGBUS, 0, &now);
    printf("%d %d default %d\n", rank, it, now.sa_handler == SIG_DFL);
    sigaction(SIGCHLD, 0, &now);
    printf("%d %d no zombies %d\n", rank, it, (now.sa_flags & SA_NOCLDWAIT) != 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  mprotect(guarded + PAGE, PAGE, PROT_READ);
  mprotect(variables + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE);
  printf("%d %d %d %d\n", rank, guarded[PAGE + 5], variables[2 * PAGE + 5], constant[5]);
  MPI_Finalize();
}
