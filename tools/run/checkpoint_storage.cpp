#include "checkpoint_storage.hpp"

#include <boost/asio/post.hpp>
#include <chrono>
#include <ctime>
#include <future>
#include <utility>

#include "cppc/checkpoint_files.hpp"
#include "cppc/fault.hpp"
#include "keepers.hpp"
#include "verify.hpp"

namespace cppc::run {
namespace {

std::string present_time() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

checkpoint::Manifest manifest_of(const Job::Description& job, const Migration& migration) {
  checkpoint::Manifest manifest{job.id, job.program, job.own_node, present_time(), {}};
  for (const wire::SavedImage& image : migration.saved)
    manifest.images.push_back({image.bytes, image.xxh3, image.program});
  return manifest;
}

std::vector<std::string> nodes_of(const Job::Description& job, const Migration& migration) {
  std::vector<std::string> nodes;
  for (const int agent : migration.saved_by) nodes.push_back(job.nodes[agent].name);
  return nodes;
}

// The nodes have written; what this machine sees counts.
Result<void> store_in_directory(const checkpoint::Draft& draft, const checkpoint::Manifest& manifest) {
  const auto missing = checkpoint::missing_parts({draft.directory, manifest});
  return missing.empty() ? checkpoint::complete(draft, manifest) : tools::error(missing.front());
}

// What is kept is in the directory; the images are in memory only until they are there.
Result<void> gather(const checkpoint::Draft& draft, const checkpoint::Manifest& manifest,
                    const std::vector<std::string>& nodes, Keepers& keepers) {
  auto done = keepers.gather(draft.set, manifest, nodes, draft.gathered).and_then([&] {
    return store_in_directory({draft.gathered, draft.complete, draft.job}, manifest);
  });
  if (done) keepers.discard(draft.set);
  return done;
}

Result<void> store_now(const checkpoint::Draft& draft, const checkpoint::Manifest& manifest,
                       const std::vector<std::string>& nodes, Keepers* keepers) {
  if (draft.set == 0) return store_in_directory(draft, manifest);
  return draft.gathered.empty() ? keepers->complete(draft.set, manifest, nodes)
                                : gather(draft, manifest, nodes, *keepers);
}

Result<checkpoint::Draft> begin_in_directory(const Job::Description& job, const std::string& to) {
  const std::string& directory = to.empty() ? job.checkpoints : to;
  if (directory.empty())
    return tools::error("no directory for checkpoints: name one, or start the job with --checkpoint-to");
  if (!directory.starts_with('/')) return tools::error(directory + " is not an absolute path");
  return checkpoint::begin(directory, job.id);
}

Result<checkpoint::Draft> begin_in_memory(Keepers& keepers, const std::string& job, Keepers::Use use) {
  return keepers.begin(use).map([&](std::uint64_t set) {
    const std::string name = checkpoint::in_memory(set);
    return checkpoint::Draft{name, name, job, set};
  });
}

// The directory is one that other nodes do not see.
Result<checkpoint::Draft> begin_gathering(Keepers& keepers, checkpoint::Draft draft) {
  const auto set = keepers.begin();
  if (!set) {
    checkpoint::discard(draft);
    return tools::error("other nodes do not see " + draft.complete.parent_path().string() +
                        ", and images cannot be gathered there: " + set.error());
  }
  draft.gathered = std::exchange(draft.directory, checkpoint::in_memory(*set));
  draft.set = *set;
  return draft;
}

void discard_now(Keepers* keepers, const checkpoint::Draft& draft) {
  if (draft.set == 0) return checkpoint::discard(draft);
  if (!draft.gathered.empty()) checkpoint::discard({draft.gathered, draft.complete, draft.job});
  if (keepers != nullptr) keepers->discard(draft.set);
}

}  // namespace

CheckpointStorage::~CheckpointStorage() { thread_.join(); }

void CheckpointStorage::store(const Job::Description& job, const Migration& migration,
                              std::function<void(const Result<void>&)> on_stored) {
  boost::asio::post(thread_,
                    [draft = *migration.draft, manifest = manifest_of(job, migration), nodes = nodes_of(job, migration),
                     keepers = job.keepers, on_stored = std::move(on_stored)] {
                      (void)fault::at("controller-store");
                      on_stored(store_now(draft, manifest, nodes, keepers));
                    });
}

void CheckpointStorage::discard(const Job::Description& job, const checkpoint::Draft& draft) {
  boost::asio::post(thread_, [draft, keepers = job.keepers] { discard_now(keepers, draft); });
}

void CheckpointStorage::then(std::function<void()> function) { boost::asio::post(thread_, std::move(function)); }

void CheckpointStorage::settle() {
  std::promise<void> done;
  boost::asio::post(thread_, [&done] { done.set_value(); });
  done.get_future().wait();
}

Result<checkpoint::Draft> begin_checkpoint(const Job& job, const std::string& to) {
  const Job::Description& description = job.description();
  if (to.empty() && description.keepers != nullptr && description.keepers->protects())
    return begin_in_memory(*description.keepers, description.id, Keepers::Use::checkpoint);
  auto draft = begin_in_directory(description, to);
  Keepers* const keepers = description.keepers;
  if (!draft || keepers == nullptr || !keepers->is_unseen(draft->directory / checkpoint::job_file)) return draft;
  return begin_gathering(*keepers, *std::move(draft));
}

Result<checkpoint::Draft> begin_relocation(const Job& job, const std::string& to) {
  const Job::Description& description = job.description();
  if (!to.empty() || description.keepers == nullptr) return begin_in_directory(description, to);
  return begin_in_memory(*description.keepers, description.id, Keepers::Use::relocation);
}

void discard_checkpoint(const Job& job, const checkpoint::Draft& draft) {
  discard_now(job.description().keepers, draft);
}

tl::expected<Migration, Job::Refusal> request_checkpoint(Job& job, const std::string& to, double timeout_s,
                                                         const Origin& origin) {
  const auto draft = begin_checkpoint(job, to);
  if (!draft) return tl::unexpected(Job::Refusal{Job::Refusal::Kind::plan, draft.error()});
  auto migration = job.save(*draft, timeout_s, origin);
  if (!migration) discard_checkpoint(job, *draft);
  return migration;
}

}  // namespace cppc::run
