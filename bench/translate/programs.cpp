#include "programs.hpp"

#include <algorithm>
#include <random>

namespace cppc::bench {
namespace {

class Numbers {
 public:
  std::string any(int below) { return std::to_string(std::uniform_int_distribution<>(0, below - 1)(random_)); }

 private:
  std::mt19937 random_{3};
};

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

std::string c_function(Numbers& numbers, int number, int globals) {
  const std::string a = numbers.any(globals), b = numbers.any(globals), c = numbers.any(globals);
  const std::string callee = number > 0 ? "f" + numbers.any(number) + "(q, n - 1)" : "1.0";
  return "static double f" + std::to_string(number) +
         "(struct node* q, int n) {\n  double sum = 0;\n  struct node* local = p" + a +
         ";\n  if (n < 0) return 0;\n  for (int i = 0; i < 100; i++) {\n    g" + a + "[i] = g" + b +
         "[i] * 0.5 + i;\n    sum += g" + c + "[i];\n  }\n  if (q && q->k > s" + b +
         ") {\n    local = malloc(sizeof *local);\n    memset(local, 0, sizeof *local);\n    local->next = q;\n"
         "    local->child = p" +
         c + ";\n    p" + a +
         " = local;\n  } else if (q) {\n"
         "    while (q->next && n > 3) q = q->next, n--;\n    p" +
         b +
         " = q;\n  }\n  switch (n % 3) {\n"
         "    case 0: sum += " +
         callee + "; break;\n    case 1: p" + c + " = local ? local->next : NULL; break;\n    default: sum -= g" + a +
         "[n % 100];\n  }\n  return sum;\n}\n";
}

/// A class with a container of its own, which calls methods of those before it.
std::string cpp_class(Numbers& numbers, int number) {
  const std::string n = std::to_string(number);
  const std::string other = number > 0 ? numbers.any(number) : "";
  const std::string callee = number > 0 ? "part" + other + "_.step(depth - 1, work)" : "1.0";
  return "class Part" + n + " : public Base {\n public:\n  explicit Part" + n + "(std::size_t size) : values_(size, " +
         numbers.any(9) + ".0), names_{{\"a\", 1}, {\"b\", 2}} {}\n" +
         "  double step(int depth, std::vector<double>& work) override {\n    if (depth < 0) return 0;\n"
         "    double sum = 0;\n    work.assign(values_.size(), 0.5 * depth);\n"
         "    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = 0.5 * values_[i] + work[i];\n"
         "    for (const double value : values_) sum += value;\n"
         "    std::transform(values_.begin(), values_.end(), work.begin(), [&](double x) { return x + depth; });\n"
         "    if (auto found = names_.find(depth % 2 ? \"a\" : \"b\"); found != names_.end()) found->second += depth;\n"
         "    if (sum > 1e6) {\n      list_.push_back(std::make_unique<Base>());\n"
         "      values_.resize(values_.size() + 1, largest(sum, 2.0));\n    } else if (depth % 3 == 1) {\n"
         "      list_.clear();\n    }\n    switch (depth % 3) {\n      case 0: sum += " +
         callee + "; break;\n      case 1: sum -= largest(values_.front(), work.back()); break;\n" +
         "      default: sum += static_cast<double>(list_.size());\n    }\n    return sum;\n  }\n\n private:\n" +
         "  std::vector<double> values_;\n  std::map<std::string, int> names_;\n"
         "  std::vector<std::unique_ptr<Base>> list_;\n};\nstatic Part" +
         n + " part" + n + "_(" + std::to_string(100 + number % 50) + ");\n";
}

/// Eight arrays to a block; a subroutine sees two blocks and the module.
std::string fortran_subroutine(Numbers& numbers, int number, int blocks) {
  const std::string n = std::to_string(number);
  const std::string a = numbers.any(blocks), b = numbers.any(blocks), m = numbers.any(blocks);
  const std::string callee = number > 0 ? "    call s" + numbers.any(number) + "(x" + a + ", 100, depth - 1, total)\n"
                                        : "    total = total + 1\n";
  const auto common = [](const std::string& block) {
    return "  real(8) :: x" + block + "(100), y" + block + "(20, 5), z" + block + "(100)\n  common /c" + block + "/ x" +
           block + ", y" + block + ", z" + block + "\n";
  };
  return "subroutine s" + n + "(d, size, depth, total)\n  use shared\n  implicit none\n" + common(a) +
         (a == b ? "" : common(b)) +
         "  integer :: size, depth, i, j\n  real(8) :: d(size), total, work(100)\n  if (depth < 0) return\n"
         "  do i = 1, 100\n    work(i) = 0.5d0 * x" +
         b + "(i) + i\n  end do\n  do j = 1, 5\n    do i = 1, 20\n      y" + a + "(i, j) = work(20 * (j - 1) + i) + m" +
         m + "(i)\n    end do\n  end do\n  z" + a + " = work * 2\n  m" + m + "(1:50) = z" + b +
         "(51:100)\n  if (depth > 3) then\n    total = total + sum(z" + a + ") + d(1)\n  else\n" + callee +
         "  end if\n  do i = 1, size\n    d(i) = total + i\n  end do\nend subroutine s" + n + "\n";
}

}  // namespace

std::string c_program(int lines) {
  Numbers numbers;
  const int globals = std::max(10, lines / 200);
  std::string text =
      "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
      "struct node { struct node *next, *child; double v[4]; int k; };\n";
  for (int i = 0; i < globals; ++i) {
    const std::string n = std::to_string(i);
    text += "static double g" + n + "[100]; static struct node* p" + n + "; static int s" + n + ";\n";
  }
  int functions = 0;
  for (int made = globals; made < lines; made += 24) text += c_function(numbers, functions++, globals);
  return text +
         "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  double t = 0;\n"
         "  for (int step = 0; step < 1000; step++) {\n    t += f" +
         std::to_string(functions - 1) +
         "(p0, 10);\n    MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n  }\n"
         "  printf(\"%g\\n\", t);\n  MPI_Finalize();\n}\n";
}

std::string cpp_program(int lines) {
  Numbers numbers;
  std::string text =
      "#include <mpi.h>\n#include <algorithm>\n#include <cstdio>\n#include <map>\n#include <memory>\n#include "
      "<string>\n"
      "#include <vector>\nclass Base {\n public:\n  virtual ~Base() = default;\n"
      "  virtual double step(int, std::vector<double>&) { return 0; }\n};\n"
      "template <class T>\nT largest(T a, T b) { return a < b ? b : a; }\n";
  int classes = 0;
  for (long made = lines_of(text); made < lines;) {
    const std::string one = cpp_class(numbers, classes++);
    made += lines_of(one);
    text += one;
  }
  return text +
         "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  double t = 0;\n"
         "  std::vector<double> work;\n  for (int step = 0; step < 1000; step++) {\n    t += part" +
         std::to_string(classes - 1) +
         "_.step(10, work);\n    MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n  }\n"
         "  std::printf(\"%g\\n\", t);\n  MPI_Finalize();\n}\n";
}

std::string fortran_program(int lines) {
  Numbers numbers;
  const int blocks = std::max(5, lines / 400);
  std::string text = "module shared\n  implicit none\n";
  for (int i = 0; i < blocks; ++i) text += "  real(8) :: m" + std::to_string(i) + "(100) = 1\n";
  text += "end module shared\n";
  int subroutines = 0;
  for (long made = lines_of(text); made < lines;) {
    const std::string one = fortran_subroutine(numbers, subroutines++, blocks);
    made += lines_of(one);
    text += one;
  }
  return text +
         "program large\n  use mpi\n  use shared\n  implicit none\n  integer :: step, ierr\n"
         "  real(8) :: total = 0, d(100) = 0\n  call MPI_Init(ierr)\n  do step = 1, 1000\n    call s" +
         std::to_string(subroutines - 1) +
         "(d, 100, 10, total)\n    call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, "
         "MPI_COMM_WORLD, ierr)\n  end do\n  print *, total\n  call MPI_Finalize(ierr)\nend program large\n";
}

}  // namespace cppc::bench
