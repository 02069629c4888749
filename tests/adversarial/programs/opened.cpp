// FLAGS -O2 -rdynamic
// A library in C++ that the program opens while it works, with another that it needs: its variables, objects with
// virtual functions, its exceptions, and what it does at the end.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

double tuning = 1;  // which the other library looks at

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  void* library = nullptr;
  double (*step)(const char*, double) = nullptr;
  for (int it = 0; it < 12; ++it) {
    double sum = 0, value = it + rank;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (it == 1) {
      library = dlopen(argv[1], RTLD_NOW);
      if (library == nullptr) std::printf("%s\n", dlerror());
      if (library == nullptr) return 1;
      step = reinterpret_cast<double (*)(const char*, double)>(dlsym(library, "plugin_step"));
    }
    if (step == nullptr) continue;
    try {
      std::printf("%d %d %g\n", rank, it, step(it % 4 == 3 ? "failing" : "drift", sum));
    } catch (const std::runtime_error& error) {
      std::printf("%d %d %s\n", rank, it, error.what());
    }
    if (it % 2 == 0 && dlopen(argv[1], RTLD_NOW) == library) dlclose(library);
    if (dlsym(library, "plugin_step") != reinterpret_cast<void*>(step)) std::printf("another function\n");
  }
  std::printf("%d closed: %d\n", rank, dlclose(library));
  std::printf("%d left: %d\n", rank, dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != nullptr);
  MPI_Finalize();
}
