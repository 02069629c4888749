#include "index.hpp"

#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "failure.hpp"
#include "head.hpp"
#include "layout.hpp"
#include "path_set.hpp"
#include "tables.hpp"
#include "types.hpp"

namespace cppc::image {

namespace {

constexpr std::size_t objects_between_calls = 4096;  // of KeepAlive: some milliseconds

class IndexReader {
 public:
  IndexReader(const FileView& file, const KeepAlive& keep_alive) : file_(file), keep_alive_(keep_alive) {}

  Index take() && { return std::move(index_); }

  /// What KeepAlive has ended the work with.
  [[nodiscard]] cppc_status ended() const { return ended_; }

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
    std::vector<Range> contents;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = rows.row(i);
      const bool within = row.type < types_.size() && row.head <= 1 && row.offset >= header_bytes &&
                          row.offset <= file_.size() &&
                          row.count <= (file_.size() - row.offset) / types_[row.type]->size;
      if (!within) {
        return false;
      }
      datasets_.push_back(row);
      if (row.head == 0) {
        contents.push_back({row.offset, row.count * types_[row.type]->size});
      }
    }
    auto head = head_ranges(std::move(contents), file_.size());
    if (!head) {
      return false;
    }
    index_.head = std::move(*head);
    return true;
  }

  const char* read_objects(const TableView<ObjectRow>& objects, const TableView<RunRow>& runs) {
    index_.entries.reserve(objects.size());
    index_.stored.reserve(objects.size());
    index_.first_stored.reserve(objects.size() + 1);
    std::uint64_t next_run = 0;
    PathSet paths;
    paths.reserve(objects.size());
    const auto earlier = [&](std::size_t number) { return objects.name(number); };
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (i % objects_between_calls == 0 && !goes_on()) {
        return "reading it was ended";
      }
      if (!valid_path(objects.name(i)) || !paths.insert(objects.name(i), i, earlier)) {
        return "a path is wrong or there twice";
      }
      const auto row = objects.row(i);
      if (!sized(row) || !stored_in_dataset(row)) {
        return "an object is not where it should be";
      }
      index_.first_stored.push_back(index_.stored.size());
      if (!read_runs(row, runs, next_run)) {
        return "the runs of an object make no sense";
      }
      next_run += row.runs;
      const auto& type = types_[row.type];
      index_.entries.push_back({std::string(objects.name(i)), type, row.count, row.count * type->size,
                                row.stored * type->size, row.dead == 1, index_.entries.size(), row.address});
    }
    index_.first_stored.push_back(index_.stored.size());
    return next_run == runs.size() ? nullptr : "there are runs of no object";
  }

  bool goes_on() {
    if (keep_alive_) {
      if (const auto alive = keep_alive_(); !alive) {
        ended_ = alive.error();
      }
    }
    return ended_ == CPPC_OK;
  }

  [[nodiscard]] bool sized(const ObjectRow& row) const {
    return row.type < types_.size() &&
           row.count <= std::numeric_limits<std::uint64_t>::max() / types_[row.type]->size && row.dead <= 1;
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
  bool read_runs(const ObjectRow& row, const TableView<RunRow>& runs, std::uint64_t next_run) {
    if (row.runs == 0) {
      if (row.first_run != 0 || (row.stored != 0 && row.stored != row.count)) {
        return false;
      }
      if (row.stored > 0) {
        add(row, {0, row.count, row.first});
      }
      return true;
    }
    if (row.first_run != next_run || row.runs > runs.size() - row.first_run) {
      return false;
    }
    std::uint64_t stored = 0;
    std::uint64_t free_from = 0;
    for (std::uint64_t i = row.first_run; i < row.first_run + row.runs; ++i) {
      const auto run = runs.row(i);
      const bool fits = run.count > 0 && run.first >= free_from && run.first <= row.count &&
                        run.count <= row.count - run.first && run.count <= row.stored - stored &&
                        run.stored_at == row.first + stored;
      if (!fits) {
        return false;
      }
      add(row, run);
      stored += run.count;
      free_from = run.first + run.count;
    }
    return stored == row.stored;
  }

  void add(const ObjectRow& row, const RunRow& run) {
    const std::uint64_t size = types_[row.type]->size;
    index_.stored.push_back({datasets_[row.dataset].offset + run.stored_at * size, run.first * size, run.count * size});
  }

  const FileView& file_;
  const KeepAlive& keep_alive_;
  cppc_status ended_ = CPPC_OK;
  std::vector<std::shared_ptr<const Type>> types_;
  std::vector<DatasetRow> datasets_;
  Index index_;
};

}  // namespace

tl::expected<Index, cppc_status> read_index(const FileView& file, const Header& header, const KeepAlive& keep_alive) {
  IndexReader reader(file, keep_alive);
  if (const char* fault = reader.read(header)) {
    if (reader.ended() != CPPC_OK) {
      return tl::make_unexpected(reader.ended());
    }
    return failure(CPPC_ERR_IMAGE, "image: its index is inconsistent: {}", fault);
  }
  return std::move(reader).take();
}

}  // namespace cppc::image
