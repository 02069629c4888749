/// A file of HDF5 that all ranks have open all the time and write to in every step: a row of a dataset that grows,
/// attributes, and a dataset of the step's own.
///
/// In the end the file is closed, opened again and read: all of it has to be what was written.
#include <hdf5.h>

#include <array>
#include <utility>
#include <vector>

#include "app.hpp"

namespace {

constexpr char kHelp[] =
    "Usage: h5steps [--steps S] [--file FILE] [--hold FILE --hold-at K]\n"
    "Writes datasets and attributes into a file of HDF5 by all ranks, and checks what is in it.\n"
    "  --steps S    time steps (40)\n"
    "  --file FILE  the file, which is removed in the end (one in a temporary directory)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 h5steps --steps 400\n";

constexpr hsize_t kColumns = 64;  ///< of each rank
constexpr long kOwnEvery = 8;     ///< steps, of which one has a dataset of its own

/// Something of HDF5 that has to be closed.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id_ >= 0) return;
    std::fprintf(stderr, "h5steps: a call of HDF5 failed\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT: as HDF5 takes it

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

double value_at(long step, hsize_t column) { return static_cast<double>(step) * 1.25 + static_cast<double>(column); }

Handle for_all_ranks() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  return access;
}

Handle collective() {
  Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  return transfer;
}

class Steps {
 public:
  explicit Steps(const std::string& path)
      : rank_(app::rank_of(MPI_COMM_WORLD)),
        columns_(kColumns * static_cast<hsize_t>(app::ranks_of(MPI_COMM_WORLD))),
        transfer_(collective()),
        file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, for_all_ranks()), H5Fclose),
        group_(H5Gcreate2(file_, "steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose),
        rows_(make_rows()) {}

  void write(long step) {
    write_row(step);
    const Handle one(H5Screate(H5S_SCALAR), H5Sclose);
    const std::string name = "step " + std::to_string(step);
    const Handle attribute(H5Acreate2(rows_, name.c_str(), H5T_NATIVE_LONG, one, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    H5Awrite(attribute, H5T_NATIVE_LONG, &step);
    if (step % kOwnEvery == 0) write_own(step, name);
  }

 private:
  [[nodiscard]] Handle make_rows() const {
    const std::array<hsize_t, 2> none{0, columns_};
    const std::array<hsize_t, 2> most{H5S_UNLIMITED, columns_};
    const std::array<hsize_t, 2> chunk{4, kColumns};
    const Handle space(H5Screate_simple(2, none.data(), most.data()), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(properties, 2, chunk.data());
    return {H5Dcreate2(group_, "rows", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose};
  }

  void write_row(long step) {
    const std::array<hsize_t, 2> size{static_cast<hsize_t>(step) + 1, columns_};
    const std::array<hsize_t, 2> first{static_cast<hsize_t>(step), kColumns * static_cast<hsize_t>(rank_)};
    const std::array<hsize_t, 2> count{1, kColumns};
    H5Dset_extent(rows_, size.data());
    const Handle all(H5Dget_space(rows_), H5Sclose);
    const Handle own(H5Screate_simple(2, count.data(), nullptr), H5Sclose);
    H5Sselect_hyperslab(all, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
    std::vector<double> values(kColumns);
    for (hsize_t column = 0; column < kColumns; ++column) values[column] = value_at(step, first[1] + column);
    H5Dwrite(rows_, H5T_NATIVE_DOUBLE, own, all, transfer_, values.data());
  }

  /// A number of each rank.
  void write_own(long step, const std::string& name) {
    const hsize_t ranks = columns_ / kColumns;
    const auto first = static_cast<hsize_t>(rank_);
    const hsize_t count = 1;
    const Handle all(H5Screate_simple(1, &ranks, nullptr), H5Sclose);
    const Handle own(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Handle dataset(H5Dcreate2(group_, name.c_str(), H5T_NATIVE_INT, all, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose);
    H5Sselect_hyperslab(all, H5S_SELECT_SET, &first, nullptr, &count, nullptr);
    const int number = static_cast<int>(step) * 10 + rank_;
    H5Dwrite(dataset, H5T_NATIVE_INT, own, all, transfer_, &number);
  }

  int rank_;
  hsize_t columns_;
  Handle transfer_, file_, group_, rows_;
};

/// How much in the file is not as it should be; the digest is of the rows.
long check(const std::string& path, long steps, std::uint64_t& digest) {
  const auto ranks = static_cast<hsize_t>(app::ranks_of(MPI_COMM_WORLD));
  const hsize_t columns = kColumns * ranks;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, for_all_ranks()), H5Fclose);
  const Handle rows(H5Dopen2(file, "steps/rows", H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(rows), H5Sclose);
  std::array<hsize_t, 2> size{};
  H5Sget_simple_extent_dims(space, size.data(), nullptr);
  if (size[0] != static_cast<hsize_t>(steps) || size[1] != columns) return 1;
  std::vector<double> values(size[0] * size[1]);
  H5Dread(rows, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  long wrong = H5Aget_num_attrs(rows) != steps;
  for (long step = 0; step < steps; ++step) {
    for (hsize_t column = 0; column < columns; ++column) {
      wrong += values[static_cast<hsize_t>(step) * columns + column] != value_at(step, column);
    }
    const std::string name = "step " + std::to_string(step);
    const Handle attribute(H5Aopen(rows, name.c_str(), H5P_DEFAULT), H5Aclose);
    long number = -1;
    H5Aread(attribute, H5T_NATIVE_LONG, &number);
    wrong += number != step;
    if (step % kOwnEvery != 0) continue;
    std::vector<int> own(ranks);
    const Handle dataset(H5Dopen2(file, ("steps/" + name).c_str(), H5P_DEFAULT), H5Dclose);
    H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, own.data());
    for (std::size_t rank = 0; rank < own.size(); ++rank)
      wrong += own[rank] != static_cast<int>(step * 10) + static_cast<int>(rank);
  }
  digest = digest_doubles(DIGEST_START, values.data(), values.size());
  return wrong;
}

int run(const app::Options& options) {
  const std::string path = options.file != nullptr ? options.file : app::temporary_path("h5steps");
  {
    Steps steps(path);
    for (long step = 0; step < options.steps; ++step) {
      hold_at(&options.hold, app::rank_of(MPI_COMM_WORLD), step);
      steps.write(step);
    }
  }
  std::uint64_t digest = 0;
  const long wrong = app::sum_of(check(path, options.steps, digest));
  MPI_Barrier(MPI_COMM_WORLD);
  if (app::rank_of(MPI_COMM_WORLD) == 0) std::filesystem::remove(path);
  return tell("h5steps", digest, wrong == 0, "%ld things in the file are wrong", wrong);
}

}  // namespace

int main(int argc, char** argv) {
  const app::Options options = app::read_options(argc, argv, 40, 1000, "file");
  MPI_Init(&argc, &argv);
  const int status = ends_here(&options.usage) ? explain(&options.usage, "h5steps", kHelp) : run(options);
  MPI_Finalize();
  return status;
}
