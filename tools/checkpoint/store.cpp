#include "store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "../common/read_file.hpp"
#include "cppc/checkpoint_files.hpp"
#include "cppc/unique_fd.hpp"
#include "image_head.hpp"

namespace cppc::checkpoint {
namespace {

namespace fs = std::filesystem;
using tools::error;

constexpr std::size_t kept = 2;  // checkpoints of a job

tl::unexpected<std::string> failed(const std::string& what, const fs::path& path, int reason = errno) {
  return error("cannot " + what + " " + path.string() + ": " + std::strerror(reason));
}

std::optional<int> number_of(const std::string& name) {
  int number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failure != std::errc{} || end != name.data() + name.size() || number < 1) return std::nullopt;
  return number;
}

std::string draft_suffix(const std::string& job) { return "-" + job + ".partial"; }

std::string draft_name(int number, const std::string& job) {
  std::string name(1, '.');  // beside "." + GCC 12 warns of what is not there
  return name.append(std::to_string(number)).append(draft_suffix(job));
}

// The numbers of complete checkpoints and of those that are being made.
struct Numbers {
  std::vector<int> complete;  // rising
  int highest = 0;
};

Result<Numbers> numbers_in(const fs::path& directory) {
  Numbers numbers;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(directory, failure)) {
    const std::string name = entry.path().filename().string();
    const auto complete = number_of(name);
    const auto begun = name.starts_with('.') ? number_of(name.substr(1, name.find('-') - 1)) : std::nullopt;
    if (complete) numbers.complete.push_back(*complete);
    numbers.highest = std::max({numbers.highest, complete.value_or(0), begun.value_or(0)});
  }
  if (failure) return failed("read", directory, failure.value());
  std::ranges::sort(numbers.complete);
  return numbers;
}

Result<std::string> read_file(const fs::path& path) {
  return tools::read_file(path).map_error(
      [&](const std::string& reason) { return "cannot read " + path.string() + ": " + reason; });
}

Result<void> bring_to_storage(const fs::path& directory) {
  const UniqueFd opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || (fsync(opened.get()) != 0 && errno != EINVAL)) return failed("write", directory);
  return {};
}

Result<void> write_file(const fs::path& path, const std::string& text) {
  const UniqueFd file(open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file) return failed("make", path);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(file.get(), text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return failed("write", path);
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  if (fsync(file.get()) != 0) return failed("write", path);
  return {};
}

Result<Checkpoint> open_checkpoint(const fs::path& directory) {
  const fs::path path = directory / manifest_file;
  return read_file(path).and_then([&](const std::string& text) -> Result<Checkpoint> {
    auto manifest = parse_manifest(text);
    if (!manifest) return error(path.string() + " is damaged: " + manifest.error());
    return Checkpoint{directory, *std::move(manifest)};
  });
}

// The directory without its manifest is no checkpoint any more, whatever happens next.
void remove_checkpoint(const fs::path& directory) {
  std::error_code ignored;  // what stays takes space, and nothing else
  fs::remove(directory / manifest_file, ignored);
  fs::remove_all(directory, ignored);
}

void remove_old(const fs::path& directory, const std::string& job) {
  const auto own = all_of(directory, job);
  for (std::size_t i = kept; own && i < own->size(); ++i) remove_checkpoint((*own)[i].directory);  // else they stay
}

}  // namespace

Result<Draft> begin(const fs::path& directory, const std::string& job) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure) return failed("make", directory, failure.value());
  const auto numbers = numbers_in(directory);
  if (!numbers) return error(numbers.error());
  for (int number = numbers->highest + 1;; ++number) {
    const Draft draft{directory / draft_name(number, job), directory / std::to_string(number), job};
    if (mkdir(draft.directory.c_str(), S_IRWXU) != 0) {
      if (errno == EEXIST) continue;
      return failed("make", draft.directory);
    }
    if (const auto written = write_file(draft.directory / job_file, job); !written) {
      discard(draft);
      return error(written.error());
    }
    return draft;
  }
}

Result<void> complete(const Draft& draft, const Manifest& manifest) {
  std::error_code ignored;  // it may stay
  fs::remove(draft.directory / job_file, ignored);
  Manifest with_heads = manifest;
  for (std::size_t rank = 0; rank < with_heads.images.size(); ++rank)
    with_heads.images[rank].head = head_hash(draft.directory / image_file(static_cast<int>(rank)));
  return write_file(draft.directory / manifest_file, text(with_heads))
      .and_then([&] { return bring_to_storage(draft.directory); })
      .and_then([&]() -> Result<void> {
        if (rename(draft.directory.c_str(), draft.complete.c_str()) != 0) return failed("make", draft.complete);
        return bring_to_storage(draft.complete.parent_path());
      })
      .map([&] { remove_old(draft.complete.parent_path(), draft.job); });
}

void discard(const Draft& draft) {
  std::error_code ignored;  // it is no checkpoint
  fs::remove_all(draft.directory, ignored);
}

void discard_drafts(const fs::path& directory, const std::string& job) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') && name.ends_with(draft_suffix(job))) discard({entry.path(), {}, job});
  }
}

Result<std::vector<Checkpoint>> all_of(const fs::path& directory, const std::string& job) {
  std::vector<Checkpoint> own;
  const auto numbers = numbers_in(directory);
  if (!numbers) return error(numbers.error());
  for (auto number = numbers->complete.rbegin(); number != numbers->complete.rend(); ++number) {
    const fs::path one = directory / std::to_string(*number);
    const auto text = read_file(one / manifest_file);
    std::error_code failure;
    if (!text && !fs::exists(one / manifest_file, failure) && !failure) continue;  // another job has removed it
    if (!text) return error(text.error());
    if (auto manifest = parse_manifest(*text); manifest && manifest->job == job)
      own.push_back({one, *std::move(manifest)});
  }
  return own;
}

Result<Checkpoint> find(const fs::path& path) {
  std::error_code failure;
  if (fs::exists(path / manifest_file, failure)) return open_checkpoint(path);
  const auto numbers = numbers_in(path);
  if (!numbers) return error(numbers.error());
  for (auto number = numbers->complete.rbegin(); number != numbers->complete.rend(); ++number) {
    const fs::path one = path / std::to_string(*number);
    if (fs::exists(one / manifest_file, failure)) return open_checkpoint(one);
  }
  return error("there is no checkpoint in " + path.string());
}

}  // namespace cppc::checkpoint
