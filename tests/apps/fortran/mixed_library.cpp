/// The library of mixed.f90: objects with virtual functions that call MPI and functions of the Fortran program.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../cpp/app.hpp"

namespace {

using Visit = double (*)(const double* value, void* data);

/// A cell of the sum over all ranks.
class Term {
 public:
  Term() = default;
  Term(const Term&) = delete;
  Term& operator=(const Term&) = delete;
  virtual ~Term() = default;
  virtual double next(double x) = 0;
};

class Scaled final : public Term {
 public:
  explicit Scaled(double factor) : factor_(factor) {}
  double next(double x) override { return factor_ * x; }

 private:
  double factor_;
};

class Counting final : public Term {
 public:
  double next(double x) override { return x + static_cast<double>(++count_); }

 private:
  long count_ = 0;
};

struct Model {
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  std::map<std::string, std::unique_ptr<Term>> terms;
  std::vector<double> history;
};

}  // namespace

extern "C" {

Model* model_create(MPI_Fint communicator) {
  auto model = std::make_unique<Model>();
  MPI_Comm_dup(MPI_Comm_f2c(communicator), &model->communicator);
  MPI_Type_contiguous(2, MPI_DOUBLE, &model->pair);
  MPI_Type_commit(&model->pair);
  return model.release();
}

void model_add(Model* model, const char* name, double factor) {
  if (factor != 0) {
    model->terms[name] = std::make_unique<Scaled>(factor);
  } else {
    model->terms[name] = std::make_unique<Counting>();
  }
}

/// The handles, as Fortran has them, for calls from there.
MPI_Fint model_communicator(const Model* model) { return MPI_Comm_c2f(model->communicator); }
MPI_Fint model_pair(const Model* model) { return MPI_Type_c2f(model->pair); }

/// Calls `visit` of the program for the value of each term, and sums up over all ranks what it returns.
double model_step(Model* model, double x, Visit visit, void* data) {
  double own = 0;
  for (auto& [name, term] : model->terms) {
    const double value = term->next(x);
    own += visit(&value, data);
  }
  double sum = 0;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, model->communicator);
  model->history.push_back(sum);
  return sum;
}

/// The history, which is the library's.
const double* model_history(const Model* model, int* count) {
  *count = static_cast<int>(model->history.size());
  return model->history.data();
}

void model_destroy(Model* model) {
  const std::unique_ptr<Model> owner(model);
  MPI_Type_free(&owner->pair);
  MPI_Comm_free(&owner->communicator);
}
}
