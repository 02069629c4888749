#include "event_log.hpp"

#include <charconv>
#include <deque>
#include <map>
#include <mutex>

namespace cppc::tools {
namespace {

using More = std::function<void(std::string)>;

constexpr std::size_t most_kept = 1000;

}  // namespace

struct EventLog::Shared {
  std::mutex mutex;
  std::string run;
  int most_watchers = 0;
  std::deque<std::string> kept;  // as they are sent
  std::uint64_t first = 1;       // number of the first that is kept
  std::map<Watcher*, More> waiting;
  int watchers = 0;
  bool closed = false;

  std::uint64_t end() const { return first + kept.size(); }

  // Under the lock. From `next` on, which moves to the end.
  std::string from(std::uint64_t& next) const {
    std::string text;
    for (next = std::max(next, first); next < end(); ++next) text += kept[next - first];
    return text;
  }
};

class EventLog::Watcher : public HttpStream {
 public:
  Watcher(std::shared_ptr<Shared> shared, std::uint64_t next) : shared_(std::move(shared)), next_(next) {}
  ~Watcher() override {
    const std::scoped_lock lock(shared_->mutex);
    --shared_->watchers;
  }

  void next(More more) override {
    std::unique_lock lock(shared_->mutex);
    std::string text = (std::exchange(greeted_, true) ? "" : "retry: 2000\n\n") + shared_->from(next_);
    if (text.empty() && !shared_->closed) {
      shared_->waiting[this] = std::move(more);
      return;
    }
    lock.unlock();
    more(std::move(text));
  }

  // Under the lock.
  std::string rest() { return shared_->from(next_); }

 private:
  const std::shared_ptr<Shared> shared_;
  std::uint64_t next_;
  bool greeted_ = false;
};

EventLog::EventLog(std::string run, int most_watchers) : shared_(std::make_shared<Shared>()) {
  shared_->run = std::move(run);
  shared_->most_watchers = most_watchers;
}

namespace {

// What waits keeps its watcher alive, which needs the lock when it goes.
void call(std::vector<std::pair<More, std::string>> calls) {
  for (auto& [more, text] : calls) more(std::move(text));
}

}  // namespace

void EventLog::add(const std::string& type, const nlohmann::json& data) {
  std::vector<std::pair<More, std::string>> calls;
  {
    const std::scoped_lock lock(shared_->mutex);
    const std::string id = shared_->run + "-" + std::to_string(shared_->end());
    shared_->kept.push_back("id: " + id + "\nevent: " + type +
                            "\ndata: " + data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n\n");
    if (shared_->kept.size() > most_kept) {
      shared_->kept.pop_front();
      ++shared_->first;
    }
    for (auto& [watcher, more] : shared_->waiting) calls.emplace_back(std::move(more), watcher->rest());
    shared_->waiting.clear();
  }
  call(std::move(calls));
}

std::shared_ptr<HttpStream> EventLog::watch(const std::string& last_event_id) {
  const std::scoped_lock lock(shared_->mutex);
  if (shared_->watchers >= shared_->most_watchers) return nullptr;
  std::uint64_t last = 0;
  const std::string own = shared_->run + "-";
  if (last_event_id.starts_with(own)) {
    const char* const end = last_event_id.data() + last_event_id.size();
    if (std::from_chars(last_event_id.data() + own.size(), end, last).ptr != end || last >= shared_->end()) last = 0;
  }
  ++shared_->watchers;
  return std::make_shared<Watcher>(shared_, last + 1);
}

void EventLog::beat() {
  std::vector<std::pair<More, std::string>> calls;
  {
    const std::scoped_lock lock(shared_->mutex);
    for (auto& [watcher, more] : shared_->waiting) calls.emplace_back(std::move(more), ": still here\n\n");
    shared_->waiting.clear();
  }
  call(std::move(calls));
}

void EventLog::close() {
  std::vector<std::pair<More, std::string>> calls;
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->closed = true;
    for (auto& [watcher, more] : shared_->waiting) calls.emplace_back(std::move(more), "");
    shared_->waiting.clear();
  }
  call(std::move(calls));
}

}  // namespace cppc::tools
