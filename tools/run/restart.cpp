#include "restart.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "cppc/program_id.hpp"
#include "program_check.hpp"
#include "verify.hpp"

namespace cppc::run {
namespace {

namespace fs = std::filesystem;
using checkpoint::Checkpoint;
using tools::error;

// Of a context that says so.
std::size_t ranks_of(const Context& context) {
  const Option* const option = context.find("np");
  std::size_t ranks = 0;
  if (option != nullptr)
    std::from_chars(option->values[0].data(), option->values[0].data() + option->values[0].size(), ranks);
  return ranks;
}

Result<void> check_ranks(const Checkpoint& checkpoint, std::vector<Context>& contexts) {
  const std::size_t saved = checkpoint.manifest.images.size();
  if (contexts.size() == 1 && ranks_of(contexts.front()) == 0)
    contexts.front().options.push_back({"np", {std::to_string(saved)}});
  std::size_t asked = 0;
  for (const Context& context : contexts) {
    if (ranks_of(context) == 0)
      return error("how many ranks of " + context.program.front() +
                   "? Say it with -n: " + checkpoint.directory.string() + " has " + std::to_string(saved) + " in all");
    asked += ranks_of(context);
  }
  if (asked == saved) return {};
  return error(checkpoint.directory.string() + " is of " + std::to_string(saved) +
               " ranks, and cannot be restarted with " + std::to_string(asked));
}

bool names_a_file(const std::string& word) {
  std::error_code failure;
  return fs::is_regular_file(word, failure);
}

// What starts the program may be another one, a script or a shell with one: the ranks will tell.
bool is_the_program(const Context& context, const std::string& path) {
  return is_elf(path) && std::none_of(context.program.begin() + 1, context.program.end(), names_a_file);
}

Result<void> check_program_of(const Checkpoint& checkpoint, const Context& context, std::size_t first_rank) {
  const std::string path = find_program(context, context.program.front());
  if (path.empty() || !is_the_program(context, path)) return {};
  const auto id = migration::program_id(path);
  const std::string& saved = checkpoint.manifest.images[first_rank].program;
  if (!id || *id == saved) return {};
  return error(path + " is not the program that rank " + std::to_string(first_rank) + " of " +
               checkpoint.directory.string() + " runs (" + *id + ", not " + saved + ")");
}

}  // namespace

Result<Checkpoint> choose_checkpoint(const fs::path& path, std::vector<Context>& contexts) {
  auto checkpoint = checkpoint::find(path);
  if (!checkpoint) return error("cannot restart: " + checkpoint.error());
  const auto missing = checkpoint::missing_parts(*checkpoint);
  if (!missing.empty()) return error("cannot restart from " + checkpoint->directory.string() + ": " + missing.front());
  if (const auto fits = check_ranks(*checkpoint, contexts); !fits) return error(fits.error());
  std::size_t first_rank = 0;
  for (const Context& context : contexts) {
    if (const auto same = check_program_of(*checkpoint, context, first_rank); !same) return error(same.error());
    first_rank += ranks_of(context);
  }
  return checkpoint;
}

}  // namespace cppc::run
