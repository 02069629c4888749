/* A file without functions. */
int total, taken, table[8];
