/* What it was given last, it reads. */
static const double* kept;

void keep_(const double* x) { kept = x; }

void helper_(double* sum) { *sum = kept[499]; }
