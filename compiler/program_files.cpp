#include "program_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "fail.hpp"

namespace cppc {
namespace {

namespace fs = std::filesystem;

/// What the compiler predefines, in files that many commands share.
class MacroFiles {
 public:
  std::shared_ptr<const frontend::Macros> of(const fs::path& file) {
    auto& read = read_[file];
    if (read == nullptr) {
      std::ifstream in(file);
      if (!in) fail("cannot read " + file.string());
      const std::string text{std::istreambuf_iterator<char>(in), {}};
      read = std::make_shared<const frontend::Macros>(frontend::read_macros(text));
    }
    return read;
  }

 private:
  std::map<fs::path, std::shared_ptr<const frontend::Macros>> read_;
};

}  // namespace

bool is_newer(const std::string& file, std::int64_t compiled) {
  std::error_code failure;
  const auto written = fs::last_write_time(file, failure);
  return !failure && compiled != 0 && written.time_since_epoch().count() > compiled;
}

Files read_commands(const std::string& file) {
  std::ifstream in(file);
  if (!in) fail("cannot read " + file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_array()) fail(file + " is no compilation database: expected an array");
  Files files;
  MacroFiles macros;
  for (const auto& entry : json) {
    if (!entry.contains("directory") || !entry.contains("file") || !entry.contains("arguments"))
      fail(file + ": an entry needs directory, file and arguments");
    frontend::Command command{entry["directory"], entry["file"], {}, {}};
    if (entry.contains("macros")) command.macros = macros.of(fs::path(file).parent_path() / entry["macros"]);
    if (entry.contains("modules_only")) {
      command.arguments = entry["arguments"];
      files.modules.push_back(std::move(command));
      continue;
    }
    if (entry.contains("left_out"))
      files.left_out.push_back({command.file, entry["left_out"]});
    else
      command.arguments = entry["arguments"];
    files.commands.push_back(std::move(command));
    files.objects.push_back(entry.value("object", ""));
    files.compiled.push_back(entry.value("compiled", std::int64_t{0}));
    auto& names = files.names.emplace_back();
    if (entry.contains("names")) names = entry["names"].get<std::set<std::string>>();
  }
  return files;
}

Files own_commands(const std::vector<std::string>& names, const std::vector<std::string>& options) {
  Files files;
  for (const std::string& name : names) {
    frontend::Command command{fs::current_path().string(), name, {"cc"}, {}};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.push_back(name);
    files.commands.push_back(std::move(command));
    files.objects.emplace_back();
    files.compiled.push_back(0);
  }
  return files;
}

}  // namespace cppc
