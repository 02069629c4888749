#include "replacement.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "archive.hpp"
#include "files.hpp"

namespace cppc::driver {
namespace {

class Planner {
 public:
  Planner(std::span<const Part> parts, std::span<const Record> program, std::span<const std::string> translated,
          std::string directory)
      : parts_(parts), program_(program), translated_(translated), directory_(std::move(directory)) {}

  Result<Replacement> plan(const CommandLine& line, Language language, std::size_t own) {
    place_own(line, language, own);
    for (const bool in_archive : {false, true}) {  // a file of both is linked from the command line
      for (const Part& part : parts_) {
        if (part.in_archive != in_archive || !is_changed(part)) continue;
        if (const auto placed = place(part); !placed) return tl::unexpected(placed.error());
      }
    }
    for (const auto& [argument, members] : whole_archives_) {
      if (const auto linked = link_all(argument, members); !linked) return tl::unexpected(linked.error());
    }
    for (std::size_t index = 0; index < program_.size(); ++index) {
      if (!translated_[index].empty() && placed_.insert(index).second)
        plan_.in_front.push_back(object_path(directory_, index));
    }
    plan_.sources.assign(placed_.begin(), placed_.end());
    return std::move(plan_);
  }

 private:
  // What is on the command line as a source is compiled here too, so that nobody compiles it with its warnings again.
  void place_own(const CommandLine& line, Language language, std::size_t own) {
    std::size_t next = 0;
    for (std::size_t index = 0; index < line.arguments.size() && next < own; ++index) {
      if (!is_kept_source(line.arguments[index], language, line.portable)) continue;
      placed_.insert(next);
      plan_.arguments[index] = {object_path(directory_, next++)};
    }
  }

  [[nodiscard]] std::size_t index_of(const Record& record) const {
    return static_cast<std::size_t>(std::find(program_.begin(), program_.end(), record) - program_.begin());
  }

  [[nodiscard]] bool is_changed(const Part& part) const {
    return std::any_of(part.records.begin(), part.records.end(), [this](const Record& record) {
      const std::size_t index = index_of(record);
      return index < program_.size() && !translated_[index].empty() && !placed_.contains(index);
    });
  }

  Result<void> place(const Part& part) {
    if (!part.fully_known) {
      return error(part.name +
                   " is made of several objects, not all of them compiled by cppc-cc: its parts cannot be "
                   "translated; link them one by one");
    }
    std::vector<std::string> objects;
    for (const Record& record : part.records) {
      const std::size_t index = index_of(record);
      if (index < program_.size() && placed_.insert(index).second) objects.push_back(object_path(directory_, index));
    }
    if (part.all_of_it) {
      whole_archives_[part.argument][part.member] = {part.file, objects};
      return {};
    }
    std::vector<std::string>& place = part.in_archive ? plan_.in_front : plan_.arguments[part.argument];
    place.insert(place.end(), objects.begin(), objects.end());
    return {};
  }

  struct NewMember {
    std::string archive;
    std::vector<std::string> objects;
  };

  // All members of an archive as objects, since the linker would take the old ones from it as well.
  Result<void> link_all(std::size_t argument, const std::map<std::size_t, NewMember>& changed) {
    const std::string& path = changed.begin()->second.archive;
    const auto members = read_archive(path, read_regular_file(path).value_or(""));
    if (!members) return tl::unexpected(members.error());
    std::vector<std::string>& inputs = plan_.arguments[argument];
    for (std::size_t member = 0; member < members->size(); ++member) {
      if (const auto found = changed.find(member); found != changed.end()) {
        inputs.insert(inputs.end(), found->second.objects.begin(), found->second.objects.end());
        continue;
      }
      inputs.push_back(directory_ + "/" + std::to_string(argument) + "-" + std::to_string(member) + ".o");
      if (!(std::ofstream(inputs.back(), std::ios::binary) << (*members)[member].contents).flush())
        return error("cannot write " + inputs.back());
    }
    return {};
  }

  std::span<const Part> parts_;
  std::span<const Record> program_;
  std::span<const std::string> translated_;
  std::string directory_;
  std::set<std::size_t> placed_;                                            // sources whose new object has its place
  std::map<std::size_t, std::map<std::size_t, NewMember>> whole_archives_;  // by argument, by member
  Replacement plan_;
};

}  // namespace

std::string object_path(const std::string& directory, std::size_t index) {
  return directory + "/" + std::to_string(index) + ".o";
}

Result<Replacement> plan_replacement(const CommandLine& line, Language language, std::span<const Part> parts,
                                     std::span<const Record> program, std::size_t own,
                                     std::span<const std::string> translated, const std::string& directory) {
  return Planner(parts, program, translated, directory).plan(line, language, own);
}

}  // namespace cppc::driver
