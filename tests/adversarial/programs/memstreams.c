#include "adversarial.h"
int main(int argc, char** argv) {
  start(&argc, &argv);
  char* text;
  size_t len;
  FILE* m = open_memstream(&text, &len);
  char in[] = "1 2 3 4 5 6 7 8 9 10 11 12 13";
  FILE* r = fmemopen(in, sizeof in, "r");
  for (int i = 0; i < 12; ++i) {
    int v = 0;
    fprintf(m, "%d,", i);
    gsum(i);
    fscanf(r, "%d", &v);
    fflush(m);
    printf("%d %d %d %s %zu\n", rank, i, v, text, len);
  }
  fclose(m);
  free(text);
  MPI_Finalize();
  return 0;
}
