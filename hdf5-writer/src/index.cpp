#include "index.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "failure.hpp"
#include "layout.hpp"
#include "tables.hpp"
#include "types.hpp"

namespace cppc::image {

namespace {

class IndexReader {
 public:
  explicit IndexReader(std::span<const std::byte> file) : file_(file) {}

  Index take() && { return std::move(index_); }

  /// What is wrong, or nullptr.
  const char* read(const Header& header) {
    const auto types = TableView<TypeRow>::at(file_, header.types);
    const auto members = TableView<MemberRow>::at(file_, header.members);
    const auto datasets = TableView<DatasetRow>::at(file_, header.datasets);
    const auto objects = TableView<ObjectRow>::at(file_, header.objects);
    const auto runs = TableView<RunRow>::at(file_, header.runs);
    if (!types || !members || !datasets || !objects || !runs) {
      return "a table is not within the file";
    }
    auto read = read_types(*types, *members);
    if (!read) {
      return "its types make no sense";
    }
    types_ = std::move(*read);
    if (!read_datasets(*datasets)) {
      return "a dataset is not within the file";
    }
    return read_objects(*objects, *runs);
  }

 private:
  bool read_datasets(const TableView<DatasetRow>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = rows.row(i);
      const bool within = row.type < types_.size() && row.offset >= header_bytes && row.offset <= file_.size() &&
                          row.count <= (file_.size() - row.offset) / types_[row.type]->size;
      if (!within) {
        return false;
      }
      datasets_.push_back(row);
    }
    return true;
  }

  const char* read_objects(const TableView<ObjectRow>& objects, const TableView<RunRow>& runs) {
    index_.runs.reserve(runs.size());  // places point into it
    index_.entries.reserve(objects.size());
    index_.places.reserve(objects.size());
    std::unordered_set<std::string_view> paths;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (!valid_path(objects.name(i)) || !paths.insert(objects.name(i)).second) {
        return "a path is wrong or there twice";
      }
      const auto row = objects.row(i);
      if (!sized(row) || !stored_in_dataset(row)) {
        return "an object is not where it should be";
      }
      if (!read_runs(row, runs)) {
        return "the runs of an object make no sense";
      }
      add(std::string(objects.name(i)), row);
    }
    return index_.runs.size() == runs.size() ? nullptr : "there are runs of no object";
  }

  [[nodiscard]] bool sized(const ObjectRow& row) const {
    return row.type < types_.size() &&
           row.count <= std::numeric_limits<std::uint64_t>::max() / types_[row.type]->size && row.dead <= 1 &&
           row.holes <= 1 - row.dead;
  }

  [[nodiscard]] bool stored_in_dataset(const ObjectRow& row) const {
    if (row.stored == 0) {
      return row.dataset == 0 && row.first == 0 && row.runs == 0;
    }
    if (row.dead == 1 || row.stored > row.count || row.dataset >= datasets_.size()) {
      return false;
    }
    const auto& dataset = datasets_[row.dataset];
    return dataset.type == row.type && row.first <= dataset.count && row.stored <= dataset.count - row.first;
  }

  /// Takes the runs of the object, which come in rising order and hold exactly what is stored.
  bool read_runs(const ObjectRow& row, const TableView<RunRow>& runs) {
    if (row.runs == 0) {
      return row.first_run == 0 && (row.stored == 0 || row.stored == row.count);
    }
    if (row.first_run != index_.runs.size() || row.runs > runs.size() - row.first_run) {
      return false;
    }
    std::uint64_t stored = 0;
    std::uint64_t free_from = 0;
    for (std::uint64_t i = row.first_run; i < row.first_run + row.runs; ++i) {
      auto run = runs.row(i);
      const bool fits = run.count > 0 && run.first >= free_from && run.first <= row.count &&
                        run.count <= row.count - run.first && run.count <= row.stored - stored &&
                        run.stored_at == row.first + stored;
      if (!fits) {
        return false;
      }
      run.stored_at = stored;
      index_.runs.push_back(run);
      stored += run.count;
      free_from = run.first + run.count;
    }
    return stored == row.stored;
  }

  void add(std::string path, const ObjectRow& row) {
    const auto& type = types_[row.type];
    Place place;
    place.element_bytes = type->size;
    if (row.stored > 0) {
      place.stored = file_.subspan(datasets_[row.dataset].offset + row.first * type->size, row.stored * type->size);
    }
    place.runs = std::span(index_.runs).last(row.runs);
    place.holes = row.holes == 1;
    index_.places.push_back(place);
    index_.entries.push_back({std::move(path), type, row.count, row.count * type->size, row.stored * type->size,
                              row.dead == 1, row.holes == 1, index_.entries.size()});
  }

  std::span<const std::byte> file_;
  std::vector<std::shared_ptr<const Type>> types_;
  std::vector<DatasetRow> datasets_;
  Index index_;
};

}  // namespace

tl::expected<Index, cppc_status> read_index(std::span<const std::byte> file, const Header& header) {
  IndexReader reader(file);
  if (const char* fault = reader.read(header)) {
    return failure(CPPC_ERR_IMAGE, "image: its index is inconsistent: {}", fault);
  }
  return std::move(reader).take();
}

}  // namespace cppc::image
