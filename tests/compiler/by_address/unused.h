enum { SIZE = 100000 };

void elsewhere(double* numbers);

static double work[SIZE], kept[SIZE];

static inline void leak(void) { elsewhere(work); }
