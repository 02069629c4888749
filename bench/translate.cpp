/// How long the translator takes for large programs, beside Clang's own parse of the same file. The programs are made
/// here: functions that call each other at random, with linked structures, loops over arrays and branches, so that all
/// pointers may meet.

#include <array>
#include <cstdio>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "figures.hpp"
#include "job.hpp"
#include "process.hpp"
#include "short_form.hpp"

namespace {

using namespace cppc;
using Clock = std::chrono::steady_clock;

const int kRuns = cppc::bench::unless_short(3, 1);

class Maker {
 public:
  std::string program(int lines) {
    const int globals = std::max(10, lines / 200);
    std::string text =
        "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
        "struct node { struct node *next, *child; double v[4]; int k; };\n";
    for (int i = 0; i < globals; ++i) {
      const std::string n = std::to_string(i);
      text += "static double g" + n + "[100]; static struct node* p" + n + "; static int s" + n + ";\n";
    }
    int functions = 0;
    for (int made = globals; made < lines; made += 24) text += function(functions++, globals);
    return text +
           "int main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  double t = 0;\n"
           "  for (int step = 0; step < 1000; step++) {\n    t += f" +
           std::to_string(functions - 1) +
           "(p0, 10);\n    MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\n  }\n"
           "  printf(\"%g\\n\", t);\n  MPI_Finalize();\n}\n";
  }

 private:
  std::string any(int below) { return std::to_string(std::uniform_int_distribution<>(0, below - 1)(random_)); }

  std::string function(int number, int globals) {
    const std::string a = any(globals), b = any(globals), c = any(globals);
    const std::string callee = number > 0 ? "f" + any(number) + "(q, n - 1)" : "1.0";
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

  std::mt19937 random_{3};
};

double seconds(const std::vector<std::string>& command) {
  const auto begin = Clock::now();
  const test::Finished finished = test::Process(command).wait();
  if (finished.status != 0) {
    std::fprintf(stderr, "%s failed: %s\n", command.front().c_str(), finished.errors.c_str());
    std::exit(1);
  }
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::vector<std::string> mpi_flags() {
  std::vector<std::string> flags;
  std::istringstream words(test::Process({"mpicc", "--showme:compile"}).wait().output);
  for (std::string word; words >> word;) flags.push_back(word);
  return flags;
}

}  // namespace

int main() {
  const test::Folder folder;
  const std::vector<std::string> flags = mpi_flags();
  std::string json;
  std::printf("%8s  %28s  %28s\n", "lines", "cppc, s (median, extremes)", "clang -fsyntax-only, s");
  for (const int lines : bench::unless_short(std::array{5000, 80000}, std::array{500, 5000})) {
    const std::string file = folder.file("program.c");
    std::ofstream(file) << Maker().program(lines);
    std::vector<std::string> translate{test::tool("cppc"), file, "-o", folder.file("out.c"), "--"};
    std::vector<std::string> parse{"clang-19", "-w", "-fsyntax-only", file};
    translate.insert(translate.end(), flags.begin(), flags.end());
    parse.insert(parse.end(), flags.begin(), flags.end());
    std::vector<double> ours, theirs;
    for (int run = 0; run < kRuns; ++run) {
      ours.push_back(seconds(translate));
      theirs.push_back(seconds(parse));
    }
    const bench::Spread own = bench::spread(ours), clang = bench::spread(theirs);
    std::printf("%8d  %8.2f (%7.2f - %7.2f)  %8.2f (%7.2f - %7.2f)\n", lines, own.median, own.low, own.high,
                clang.median, clang.low, clang.high);
    char one[64];
    std::snprintf(one, sizeof one, "%s\"%d\":%.3f", json.empty() ? "" : ",", lines, own.median);
    json += one;
  }
  std::printf("{\"bench\":\"translate\",\"seconds\":{%s}}\n", json.c_str());
}
