/* Cells whose structure is known to opaque_cells.c only. */
struct cell;

struct cell* make_cells(int count);
void fill_cells(struct cell* cells, int count, double value);
double sum_cells(const struct cell* cells, int count);
