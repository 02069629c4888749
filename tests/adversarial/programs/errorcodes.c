#include "adversarial.h"
static void mymax(void* a, void* b, int* n, MPI_Datatype* t) {
  (void)t;
  for (int i = 0; i < *n; ++i)
    if (((double*)a)[i] > ((double*)b)[i]) ((double*)b)[i] = ((double*)a)[i];
}
static int copies, dels;
static int cp(MPI_Comm c, int k, void* e, void* in, void* out, int* flag) {
  (void)c;
  (void)k;
  (void)e;
  copies++;
  *(void**)out = in;
  *flag = 1;
  return 0;
}
static int dl(MPI_Comm c, int k, void* v, void* e) {
  (void)c;
  (void)k;
  (void)v;
  (void)e;
  dels++;
  return 0;
}
static int errs;
static void eh(MPI_Comm* c, int* e, ...) {
  (void)c;
  errs++;
  (void)e;
}
int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Op op;
  MPI_Op_create(mymax, 1, &op);
  int key;
  MPI_Comm_create_keyval(cp, dl, &key, NULL);
  MPI_Comm d, ic, split;
  MPI_Comm_dup(MPI_COMM_WORLD, &d);
  MPI_Comm_set_attr(d, key, "attribute");
  MPI_Errhandler h;
  MPI_Comm_create_errhandler(eh, &h);
  MPI_Comm_set_errhandler(d, h);
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &split);
  MPI_Intercomm_create(split, 0, MPI_COMM_WORLD, 1 - rank, 5, &ic);
  MPI_Info in;
  MPI_Info_create(&in);
  MPI_Info_set(in, "key", "value");
  int ec, code;
  MPI_Add_error_class(&ec);
  MPI_Add_error_code(ec, &code);
  MPI_Add_error_string(code, "my error");
  MPI_Comm_set_name(d, "dee");
  for (int i = 0; i < 12; ++i) {
    double a = rank * i, b;
    MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, op, d);
    gsum(i);
    MPI_Comm e;
    MPI_Comm_dup(d, &e);
    char* at;
    int fl;
    MPI_Comm_get_attr(e, key, &at, &fl);
    MPI_Send(&a, 1, MPI_DOUBLE, 77, 0, d);
    MPI_Comm_free(&e);
    double ia = rank, ib;
    MPI_Allreduce(&ia, &ib, 1, MPI_DOUBLE, MPI_SUM, ic);
    char val[16], es[MPI_MAX_ERROR_STRING], nm[64];
    int l;
    MPI_Info_get(in, "key", 15, val, &fl);
    MPI_Error_string(code, es, &l);
    MPI_Comm_get_name(d, nm, &l);
    int* ub;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &ub, &fl);
    printf("%d %d %g %s %d %d %d %g %s %s %s %d\n", rank, i, b, at, copies, dels, errs, ib, val, es, nm, *ub > 1000);
  }
  MPI_Finalize();
  return 0;
}
