#include "program.hpp"

#include <filesystem>
#include <optional>
#include <span>

#include "archive.hpp"
#include "files.hpp"
#include "object_file.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;

// What cannot be seen is not there, for the linker neither.
bool exists(const std::string& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

class Search {
 public:
  explicit Search(const CommandLine& line) : line_(line) {}

  Result<std::vector<Part>> parts() {
    for (std::size_t index = 0; index < line_.arguments.size(); ++index) {
      const Argument& argument = line_.arguments[index];
      note_state(argument);
      const std::string path = file_of(argument);
      if (path.empty()) continue;
      if (const auto read = read_input(index, path); !read) return tl::unexpected(read.error());
    }
    return std::move(parts_);
  }

 private:
  void note_state(const Argument& argument) {
    if (argument.role == Role::library_directory) directories_.push_back(argument.value);
    if (argument.role != Role::linker) return;
    if (argument.value == "--whole-archive" || argument.value == "-whole-archive") whole_ = true;
    if (argument.value == "--no-whole-archive" || argument.value == "-no-whole-archive") whole_ = false;
    if (argument.value == "--start-lib") as_archive_ = true;
    if (argument.value == "--end-lib") as_archive_ = false;
    if (argument.value == "-Bstatic") static_ = true;
    if (argument.value == "-Bdynamic") static_ = false;
  }

  std::string file_of(const Argument& argument) const {
    if (argument.role == Role::input) return language_of(argument) ? "" : argument.value;
    if (argument.role == Role::linker_input) return argument.value;
    return argument.role == Role::library ? library(argument.value) : "";
  }

  // As the linker looks for it.
  std::string library(const std::string& name) const {
    const auto find = [this](const std::string& file) -> std::optional<std::string> {
      for (const std::string& directory : directories_) {
        const std::string path = fs::path(directory) / file;
        if (exists(path)) return path;
      }
      return std::nullopt;
    };
    if (name.starts_with(':')) return find(name.substr(1)).value_or("");
    if (static_ || line_.static_program) return find("lib" + name + ".a").value_or("");
    for (const std::string& directory : directories_) {
      const fs::path stem = fs::path(directory) / ("lib" + name);
      if (exists(stem.string() + ".so")) return "";
      if (exists(stem.string() + ".a")) return stem.string() + ".a";
    }
    return "";
  }

  Result<void> read_input(std::size_t index, const std::string& path) {
    const std::string contents = read_regular_file(path).value_or("");
    if (!is_archive(contents))
      return add({.argument = index, .file = path, .in_archive = as_archive_, .name = path}, contents);
    const auto members = read_archive(path, contents);
    if (!members) return tl::unexpected(members.error());
    for (std::size_t member = 0; member < members->size(); ++member) {
      const auto& [name, object] = (*members)[member];
      auto added = add({.argument = index,
                        .file = path,
                        .in_archive = true,
                        .member = member,
                        .all_of_it = whole_,
                        .name = path + "(" + name + ")"},
                       object);
      if (!added) return added;
    }
    return {};
  }

  // If it knows how it was compiled.
  Result<void> add(Part part, const std::string& contents) {
    const ObjectFacts facts = read_object(std::as_bytes(std::span(contents)));
    if (!facts.is_object || facts.commands.empty()) return {};
    auto records = read_records(facts.commands, part.name);
    if (!records) return tl::unexpected(records.error());
    part.records = std::move(*records);
    part.fully_known = facts.source_files <= part.records.size();
    parts_.push_back(std::move(part));
    return {};
  }

  const CommandLine& line_;
  std::vector<Part> parts_;
  std::vector<std::string> directories_;
  bool whole_ = false, as_archive_ = false, static_ = false;
};

}  // namespace

Result<std::vector<Part>> find_parts(const CommandLine& line) { return Search(line).parts(); }

}  // namespace cppc::driver
