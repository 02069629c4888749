#include "checkpoint_disk.hpp"

#include <boost/asio/post.hpp>
#include <chrono>
#include <ctime>
#include <future>
#include <utility>

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

// The nodes have written; what this machine sees counts.
Result<void> store_now(const checkpoint::Draft& draft, const checkpoint::Manifest& manifest) {
  const auto missing = checkpoint::missing_parts({draft.directory, manifest});
  return missing.empty() ? checkpoint::complete(draft, manifest) : tools::error(missing.front());
}

}  // namespace

CheckpointDisk::~CheckpointDisk() { thread_.join(); }

void CheckpointDisk::store(const Job::Description& job, const Migration& migration,
                           std::function<void(const Result<void>&)> tell) {
  boost::asio::post(thread_, [draft = *migration.draft, manifest = manifest_of(job, migration),
                              tell = std::move(tell)] { tell(store_now(draft, manifest)); });
}

void CheckpointDisk::discard(const checkpoint::Draft& draft) {
  boost::asio::post(thread_, [draft] { checkpoint::discard(draft); });
}

void CheckpointDisk::settle() {
  std::promise<void> done;
  boost::asio::post(thread_, [&done] { done.set_value(); });
  done.get_future().wait();
}

Result<checkpoint::Draft> begin_checkpoint(const Job& job, const std::string& to) {
  const std::string& directory = to.empty() ? job.description().checkpoints : to;
  if (directory.empty())
    return tools::error("no directory for checkpoints: name one, or start the job with --checkpoint-to");
  if (!directory.starts_with('/')) return tools::error(directory + " is not an absolute path");
  return checkpoint::begin(directory, job.description().id);
}

tl::expected<Migration, Job::Refusal> request_checkpoint(Job& job, const std::string& to, double timeout_s,
                                                         const Origin& origin) {
  const auto draft = begin_checkpoint(job, to);
  if (!draft) return tl::unexpected(Job::Refusal{Job::Refusal::Kind::plan, draft.error()});
  auto migration = job.save(*draft, timeout_s, origin);
  if (!migration) checkpoint::discard(*draft);
  return migration;
}

}  // namespace cppc::run
