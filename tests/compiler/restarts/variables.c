/* A file without functions, whose variables others declare first. */
extern int total, taken, table[8];
int total, taken, table[8];
