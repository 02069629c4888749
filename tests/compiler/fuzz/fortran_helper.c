/* What random programs in Fortran (fortran_program) call in C: it keeps what it is given, and knows a variable by name. */
extern int __state_MOD_mc[1200];

static int* kept;

void fuzz_keep_(int* values) { kept = values; }

/* Reads the last array that it was given, and changes it. */
void fuzz_helper_(int* sum) {
  *sum = (*sum * 3 + __state_MOD_mc[*sum % 1200] + (kept != 0 ? kept[3] : 0)) % 9973;
  __state_MOD_mc[*sum % 1200] = *sum;
  if (kept != 0) kept[*sum % 30] = *sum;
}
