// A library that programs open while they work, and that needs another one.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
void lib_seed(int seed);
double lib_next(void);
}

namespace {

struct Model {
  virtual ~Model() = default;
  virtual double next(double value) = 0;
};

struct Drift : Model {
  double next(double value) override { return sum += value + lib_next(); }
  double sum = 1;
};

struct Failing : Model {
  double next(double value) override { throw std::runtime_error("no next of " + std::to_string(value)); }
};

// A constructor and a destructor that are seen.
struct Models {
  Models() {
    by_name.emplace("drift", std::make_unique<Drift>());
    by_name.emplace("failing", std::make_unique<Failing>());
  }
  ~Models() { std::printf("closed with %zu models, %d calls\n", by_name.size(), calls); }
  std::map<std::string, std::unique_ptr<Model>> by_name;
  int calls = 0;
} models;

std::vector<double> seen;

}  // namespace

extern "C" double plugin_step(const char* name, double value) {
  ++models.calls;
  if (seen.empty()) lib_seed(7);
  seen.push_back(value);
  return models.by_name.at(name)->next(value) + static_cast<double>(seen.size());
}
