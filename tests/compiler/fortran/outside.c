/* What a program in Fortran has in another language: it knows some of its variables by name, was given one, and calls a
 * procedure.
 */
extern double __state_MOD_named[1000];
extern double block_[1000];

static const double *kept, *kept_too;

void callback_(double* sum);

void keep_(const double* x) { kept = x; }
void keep_too_(const double* x) { kept_too = x; }

void helper_(double* sum) {
  *sum = __state_MOD_named[17] + block_[500] + kept[999] + kept_too[3];
  callback_(sum);
}
