#include "adversarial.h"
int main(int argc, char **argv) {
  start(&argc, &argv);
  char nm[32];
  sprintf(nm, "f1.%d", rank);
  FILE *o = fopen(nm, "w"), *out = stdout, *err = stderr;
  static char big[65536];
  setvbuf(o, big, _IOFBF, sizeof big);
  char nm2[40];
  sprintf(nm2, "%s.in", nm);
  FILE *q = fopen(nm2, "w");
  for (int i = 0; i < 40; i++) fprintf(q, "%d %g\n", i, i * 0.5);
  fclose(q);
  FILE *in = fopen(nm2, "r");
  double s = 0;
  int c;
  char nm3[40];
  sprintf(nm3, "%s.rw", nm);
  FILE *rw = fopen(nm3, "w+"), *ap = fopen(nm2, "a");
  for (int it = 0; it < 10; it++) {
    s += gsum(it);
    fprintf(o, "step %d\n", it);
    fprintf(out, "r%d it %d\n", rank, it);
    int i;
    double x;
    fscanf(in, "%d %lf\n", &i, &x);
    s += x;
    c = fgetc(in);
    ungetc(c, in);
    s += c;
    fwrite(&s, 8, 1, rw);
    fseek(rw, -4, SEEK_CUR);
    fprintf(ap, "more %d\n", it);
  }
  fclose(o);
  rewind(rw);
  double y;
  fread(&y, 8, 1, rw);
  fclose(rw);
  fclose(ap);
  fclose(in);
  long tot = 0;
  char l[100];
  o = fopen(nm, "r");
  while (fgets(l, 100, o)) tot += strlen(l);
  fclose(o);
  o = fopen(nm2, "r");
  while (fgets(l, 100, o)) tot += strlen(l);
  fclose(o);
  printf("%d %g %ld\n", rank, s, tot);
  MPI_Finalize();
  return 0;
}
