/* A library with a safe point. */
#include <cppc/cppc.h>

int pass_mark(void);

__attribute__((visibility("default"))) int pass_mark(void) { return cppc_safe_point(1); }
