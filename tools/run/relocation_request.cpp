#include "relocation_request.hpp"

#include <utility>

#include "checkpoint_storage.hpp"
#include "standard_input.hpp"

namespace cppc::run {
namespace {

using Answer = tl::expected<std::variant<Migration, Moves>, Job::Refusal>;

Answer refuse(const std::string& why) { return tl::unexpected(Job::Refusal{Job::Refusal::Kind::plan, why}); }

template <class T>
Answer answer(tl::expected<T, Job::Refusal> result) {
  if (!result) return tl::unexpected(std::move(result).error());
  return std::variant<Migration, Moves>(*std::move(result));
}

Answer request_relocation(Job& job, const RelocationRules& rules, const RelocationRequest& relocation,
                          const NodesRequest& request, bool dry_run) {
  auto moves = job.plan(relocation);
  if (dry_run || !moves) return answer(std::move(moves));
  if (!rules.refusal.empty()) return refuse(rules.refusal);
  const auto draft = begin_relocation(job, request.images);
  if (!draft) return refuse("new nodes need images of all ranks (--images DIR): " + draft.error());
  auto migration = job.relocate(relocation, *draft, request.timeout_s, request.origin);
  if (!migration) discard_checkpoint(job, *draft);
  return answer(std::move(migration));
}

}  // namespace

std::string relocation_refusal(std::span<const Context> contexts, int input) {
  if (const std::string option = option_that_begins_anew(contexts); !option.empty())
    return "no node can come to a job that has been started with " + option;
  if (!StandardInput(input).any()) return "";
  return "no node can come to this job, since mpirun may have read input that rank 0 has not: start it with </dev/null";
}

Answer request_nodes(Job& job, const RelocationRules& rules, const NodesRequest& request, bool dry_run) {
  RelocationRequest relocation{{}, request.moves};
  std::vector<std::string> names = request.add;
  if (!request.restore.empty()) {
    relocation.moves = {job.departed_from(request.restore), "", {request.restore}};
    if (relocation.moves.ranks.empty())
      return refuse("no rank has left " + request.restore + "; migrate --add gives the job a node");
    if (job.has_up(request.restore))
      return dry_run ? answer(job.plan(relocation.moves))
                     : answer(job.submit(relocation.moves, request.timeout_s, /*keep_node=*/false, request.origin));
    names.push_back(request.restore);
  }
  for (const std::string& name : names) {
    const auto node = rules.admit ? rules.admit(name) : Result<AllocatedNode>(AllocatedNode{name, 1});
    if (!node) return refuse(node.error());
    relocation.add.push_back(*node);
  }
  return request_relocation(job, rules, relocation, request, dry_run);
}

}  // namespace cppc::run
