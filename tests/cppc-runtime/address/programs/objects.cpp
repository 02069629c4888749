// Everything that C++ keeps somewhere, at each safe point: containers, exceptions in flight, thread-locals, statics of
// functions with destructors, captured references. What it prints depends on all of it.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "cppc/cppc.h"

extern const char cppc_by_address;
const char cppc_by_address = 1;

namespace {

void safe_point() {
  if (cppc_safe_point(1)) cppc_stop_here();
}

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : virtual Shape {
  explicit Square(double side) : side(side) {}
  double area() const override { return side * side; }
  double side;
};

struct Announced {
  explicit Announced(const char* text) : text(text) {}
  ~Announced() { std::printf("end of %s\n", text.c_str()); }
  std::string text;
};

thread_local int calls = 0;
thread_local Announced of_thread("the thread's");

const std::string& remembered(int step) {
  static Announced announced("a static of a function");
  static std::vector<std::string> all;
  all.push_back(announced.text + std::to_string(step));
  return all[all.size() / 2];
}

void deep(int depth, const std::function<void(int)>& leaf) {
  std::string local(static_cast<std::size_t>(depth) * 7, 'd');
  ++calls;
  if (depth == 0) {
    leaf(calls);
    throw std::out_of_range("from below");
  }
  try {
    deep(depth - 1, leaf);
  } catch (const std::out_of_range&) {
    if (local.size() != static_cast<std::size_t>(depth) * 7) std::printf("a local is lost\n");
    safe_point();  // with an exception in flight
    throw;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::mt19937_64 random(7);
  std::map<std::string, std::list<int>> lists;
  std::unordered_map<int, std::shared_ptr<Shape>> shapes;
  std::vector<std::unique_ptr<int>> owned;
  std::ostringstream stream;
  std::exception_ptr kept;
  int& counter = *owned.emplace_back(std::make_unique<int>(0));
  of_thread.text += " own";
  for (int step = 0; step < 5; ++step) {
    lists["list" + std::to_string(step % 3)].push_back(static_cast<int>(random() % 1000));
    shapes[step * 31] = std::make_shared<Square>(step + 0.5);
    safe_point();
    try {
      deep(2, [&](int n) {
        counter += n;
        safe_point();
      });
    } catch (...) {
      kept = std::current_exception();
    }
    double area = 0;
    for (int key = 0; key <= step; ++key) area += shapes.at(key * 31)->area();
    for (const auto& [name, list] : lists)
      for (const int value : list) stream << name << value << ' ';
    std::cout << step << ": " << area << ' ' << counter << ' ' << calls << ' ' << remembered(step) << ' '
              << std::hash<std::string>()(stream.str()) << ' ' << random() % 97 << '\n';
  }
  try {
    std::rethrow_exception(kept);
  } catch (const std::exception& error) {
    std::cout << error.what() << ' ' << argc << ' ' << (argv[argc] == nullptr) << std::endl;
  }
  MPI_Finalize();
}
