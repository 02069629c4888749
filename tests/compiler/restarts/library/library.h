#ifdef WIDE
typedef long library_number;
#else
typedef int library_number;
#endif

void library_keep(long number);
library_number library_status(void);
double* library_block(void);
