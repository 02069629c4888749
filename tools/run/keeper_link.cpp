#include "keeper_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "../common/pass_on.hpp"

extern char** environ;

namespace cppc::run {
namespace {

using nlohmann::json;
using tools::error;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto look = 50ms;       // how often who waits looks whether the answer is still wanted
constexpr auto end_timeout = 2s;  // of a keeper that is to quit

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return error(std::strerror(errno));
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// In a session of its own, with signals as they are by default.
int spawn(pid_t& child, std::vector<std::string> words, int input, int output, int errors) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  const int failure = posix_spawnp(&child, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

}  // namespace

Result<std::unique_ptr<KeeperLink>> KeeperLink::start(const std::vector<std::string>& command, const json& settings,
                                                      std::chrono::milliseconds timeout) {
  auto input = make_pipe(), output = make_pipe(), errors = make_pipe();
  UniqueFd given_up(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!input || !output || !errors || !given_up)
    return error("it cannot be started: " + std::string(std::strerror(errno)));
  pid_t process = -1;
  if (const int failure = spawn(process, command, input->read.get(), output->write.get(), errors->write.get());
      failure != 0)
    return error("cannot run " + command.front() + ": " + std::strerror(failure));
  std::unique_ptr<KeeperLink> link(new KeeperLink(process, std::move(input->write), std::move(output->read),
                                                  std::move(errors->read), std::move(given_up)));
  output->write.reset();
  errors->write.reset();
  input->read.reset();
  link->reader_ = std::thread([raw = link.get()] { raw->read(); });
  if (const auto sent = link->send(settings); !sent) return error(sent.error());
  const auto first = link->await(0, timeout, nullptr);
  if (!first) return error(first.error());
  if (!first->contains("addresses") || !(*first)["addresses"].is_string()) return error("it does not say where it is");
  link->addresses_ = (*first)["addresses"];
  return link;
}

KeeperLink::KeeperLink(pid_t process, UniqueFd input, UniqueFd output, UniqueFd errors, UniqueFd given_up)
    : process_(process),
      input_(std::move(input)),
      output_(std::move(output)),
      errors_(std::move(errors)),
      given_up_(std::move(given_up)) {
  awaited_[0] = true;
  fcntl(input_.get(), F_SETFL, O_NONBLOCK);  // a remote shell whose node is silent takes nothing after some time
}

KeeperLink::~KeeperLink() {
  lose();
  reader_.join();
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

bool KeeperLink::alive() const {
  const std::lock_guard lock(mutex_);
  return alive_;
}

Result<json> KeeperLink::ask(json request, std::chrono::milliseconds timeout, const std::function<bool()>& wanted) {
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = ++last_id_;
    awaited_[id] = true;
  }
  request["id"] = id;
  if (const auto sent = send(request); !sent) return error(sent.error());
  return await(id, timeout, wanted);
}

Result<json> KeeperLink::await(std::uint64_t id, std::chrono::milliseconds timeout,
                               const std::function<bool()>& wanted) {
  const auto end = Clock::now() + timeout;
  std::unique_lock lock(mutex_);
  const auto give_up = [&](const std::string& why) {
    awaited_.erase(id);
    answers_.erase(id);
    return error(why);
  };
  while (!answers_.contains(id)) {
    if (!alive_) return give_up("its keeper has ended");
    if (Clock::now() >= end) return give_up("its keeper does not answer");
    changed_.wait_for(lock, look);
    if (wanted == nullptr) continue;
    lock.unlock();
    const bool still = wanted();
    lock.lock();
    if (!still) return give_up("given up");
  }
  json answer = std::move(answers_.at(id));
  answers_.erase(id);
  if (answer.contains("error")) return error(answer.value("error", ""));
  return answer;
}

Result<void> KeeperLink::send(const json& object) {
  const std::lock_guard one_at_a_time(writing_);
  const std::string line = object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
  for (std::size_t done = 0; done < line.size();) {
    pollfd input{input_.get(), POLLOUT, 0};
    if (poll(&input, 1, static_cast<int>(std::chrono::milliseconds(end_timeout).count())) == 0)
      return error("its keeper takes no requests");
    const ssize_t written = write(input_.get(), line.data() + done, line.size() - done);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return error("its keeper has ended");
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  return {};
}

// Until the keeper says nothing more on its standard output, or is given up: what it, or its remote shell, has said by
// then as errors is passed on. It has no standard error of this process, which would be open as long as the keeper
// lives without it.
void KeeperLink::read() {
  std::string text;
  std::array<pollfd, 3> ends{{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}, {given_up_.get(), POLLIN, 0}}};
  auto& [output, errors, given_up] = ends;
  while (true) {
    if (poll(ends.data(), ends.size(), -1) < 0) continue;
    if (given_up.revents != 0) break;  // it may live on, and have its ends of the others
    if (errors.revents != 0 && !tools::pass_on(errors_.get(), STDERR_FILENO)) {
      errors.fd = -1;
      errors_.reset();  // what nobody reads must not hold the keeper up
    }
    if (errors.revents == 0 && output.revents != 0 && !read_answers(text)) break;
  }
  const std::lock_guard lock(mutex_);
  alive_ = false;
  changed_.notify_all();
}

// Whether there may be more; `text`: the beginning of a line.
bool KeeperLink::read_answers(std::string& text) {
  std::array<char, 4096> bytes{};
  const ssize_t got = ::read(output_.get(), bytes.data(), bytes.size());
  if (got < 0) return errno == EINTR;
  text.append(bytes.data(), static_cast<std::size_t>(got));
  for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
    take(text.substr(0, end));
  return got > 0;
}

// Shells may say more when they start.
void KeeperLink::take(const std::string& line) {
  json answer = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return;
  const std::lock_guard lock(mutex_);
  const auto id = answer.contains("id") && answer["id"].is_number_unsigned() ? answer["id"].get<std::uint64_t>() : 0;
  if (awaited_.erase(id) == 0) return;  // nobody waits for it any more
  answers_[id] = std::move(answer);
  changed_.notify_all();
}

void KeeperLink::lose() {
  const std::lock_guard lock(mutex_);
  if (alive_) kill(process_, SIGKILL);
  alive_ = false;
  (void)eventfd_write(given_up_.get(), 1);  // fails only when it has been told very often
  changed_.notify_all();
}

void KeeperLink::quit() {
  if (!alive() || !send({{"id", 0}, {"do", "quit"}})) return;
  const auto end = Clock::now() + end_timeout;
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, end, [this] { return !alive_; });
}

}  // namespace cppc::run
