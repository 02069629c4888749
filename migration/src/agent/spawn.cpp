#include "spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "../job_comms.hpp"
#include "cppc/unique_fd.hpp"
#include "recipe.hpp"

namespace cppc::migration {
namespace {

/// A file without a name, for a child that is told only this process's id and the number of the descriptor.
class Note {
 public:
  static tl::expected<Note, cppc_status> write(const Replacement& replacement) {
    std::vector<std::byte> bytes = replacement.recipe.encode();
    const std::string line = replacement.assignment.encode() + '\n';
    UniqueFd descriptor(memfd_create("cppc-replacement", MFD_CLOEXEC));
    if (!descriptor || ::write(descriptor.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()) ||
        ::write(descriptor.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      spdlog::error("cannot write the note for the replacement of rank {}: {}", replacement.assignment.rank,
                    std::strerror(errno));
      return tl::unexpected(CPPC_ERR_SYSTEM);
    }
    return Note(std::move(descriptor));
  }
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }

 private:
  explicit Note(UniqueFd descriptor) : descriptor_(std::move(descriptor)) {}
  UniqueFd descriptor_;
};

tl::expected<void, cppc_status> check_program(const Recipe& recipe, int rank, const std::string& node) {
  if (access(recipe.program.c_str(), X_OK) != 0) {
    spdlog::error("rank {}: its program {} cannot be run on {}: {}", rank, recipe.program, node, std::strerror(errno));
    return tl::unexpected(CPPC_ERR_NOT_FOUND);
  }
  if (!std::filesystem::is_directory(recipe.directory)) {
    spdlog::error("rank {}: its working directory {} does not exist on {}", rank, recipe.directory, node);
    return tl::unexpected(CPPC_ERR_NOT_FOUND);
  }
  return {};
}

/// Where, and how, Open MPI is to start processes.
tl::expected<MPI_Info, cppc_status> placement(const std::string& node, bool bound) {
  MPI_Info info = MPI_INFO_NULL;
  int code = PMPI_Info_create(&info);
  if (code == MPI_SUCCESS) code = PMPI_Info_set(info, "host", node.c_str());
  // Open MPI would bind them to a core each, whatever the job's policy says.
  if (code == MPI_SUCCESS && !bound) code = PMPI_Info_set(info, "bind_to", "none");
  if (!checked(code, "cannot say where to start replacements")) return tl::unexpected(CPPC_ERR_SYSTEM);
  return info;
}

tl::expected<MPI_Comm, cppc_status> spawn_multiple(const std::string& node, bool bound,
                                                   std::vector<std::vector<std::string>>& arguments) {
  const std::size_t number = arguments.size();
  std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  std::vector<char*> commands(number, self.data());
  std::vector<std::vector<char*>> lists;
  std::vector<char**> argvs;
  lists.reserve(number);
  for (auto& one : arguments) argvs.push_back(lists.emplace_back(pointers(one)).data());
  std::vector<int> processes(number, 1);
  const auto info = placement(node, bound);
  if (!info) return tl::unexpected(info.error());
  std::vector<MPI_Info> infos(number, *info);
  MPI_Comm children = MPI_COMM_NULL;
  const int code = PMPI_Comm_spawn_multiple(static_cast<int>(number), commands.data(), argvs.data(), processes.data(),
                                            infos.data(), 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
  MPI_Info used = *info;
  (void)checked(PMPI_Info_free(&used), "MPI_Info_free");
  if (checked(code, "replacements cannot be started")) return children;
  return tl::unexpected(CPPC_ERR_SYSTEM);
}

}  // namespace

bool bound_by_parent() {
  cpu_set_t own;
  cpu_set_t daemons;
  return sched_getaffinity(0, sizeof own, &own) == 0 && sched_getaffinity(getppid(), sizeof daemons, &daemons) == 0 &&
         !CPU_EQUAL(&own, &daemons);
}

tl::expected<MPI_Comm, cppc_status> spawn(const std::string& node, bool bound,
                                          const std::vector<Replacement>& replacements) {
  std::vector<Note> notes;
  std::vector<std::vector<std::string>> arguments;
  for (const auto& one : replacements) {
    if (auto checked = check_program(one.recipe, one.assignment.rank, node); !checked)
      return tl::unexpected(checked.error());
    auto note = Note::write(one);
    if (!note) return tl::unexpected(note.error());
    arguments.push_back({"become", std::to_string(getpid()), std::to_string(note->descriptor())});
    notes.push_back(std::move(*note));
  }
  return spawn_multiple(node, bound, arguments);
}

}  // namespace cppc::migration
