#include "cppc/fault.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

namespace cppc::fault {
namespace {

constexpr std::array<std::string_view, 8> actions{"kill",   "hang",   "stop",    "delay",
                                                  "enomem", "enospc", "corrupt", "cut"};
struct Role {
  std::string_view name;
  std::string_view steps;  ///< each with a space before and behind
};
constexpr std::string_view agent_steps = " prepare negotiate withdraw freeze ship decide decided commit ";
constexpr std::array<Role, 12> roles{
    {{"source", " arrive pack ship chunk join "},
     {"replacement", " start receive chunk head restore join "},
     {"other", " arrive join "},
     {"restarted", " restore join "},
     {"source-agent", agent_steps},
     {"target-agent", agent_steps},
     {"other-agent", agent_steps},
     {"substitute", agent_steps},
     {"saver", " copy write "},
     {"saving-agent", " prepare negotiate withdraw freeze write "},
     {"keeper", " make begin copy receive give encode difference rebuild complete discard locate find "},
     {"controller", " decide store restart "}}};
constexpr auto kDelay = std::chrono::seconds(2);

struct Fault {
  std::string place;
  std::string action;
  int nth = 1;
  bool onwards = false;
};

bool is_place(std::string_view place) {
  return std::ranges::any_of(roles, [&](const Role& role) {
    return place.starts_with(role.name) && place.substr(role.name.size()).starts_with('-') &&
           role.steps.find(' ' + std::string(place.substr(role.name.size() + 1)) + ' ') != std::string_view::npos;
  });
}

std::optional<Fault> parse(std::string_view value) {
  const auto first = value.find(':');
  if (first == std::string_view::npos || first == 0) return std::nullopt;
  const auto second = value.find(':', first + 1);
  Fault fault{std::string(value.substr(0, first)), std::string(value.substr(first + 1, second - first - 1))};
  if (second != std::string_view::npos) {
    std::string_view number = value.substr(second + 1);
    fault.onwards = number.ends_with('+');
    if (fault.onwards) number.remove_suffix(1);
    const auto [end, error] = std::from_chars(number.begin(), number.end(), fault.nth);
    if (error != std::errc{} || end != number.end() || fault.nth < 1) return std::nullopt;
  }
  if (!is_place(fault.place) || std::ranges::find(actions, fault.action) == actions.end()) return std::nullopt;
  return fault;
}

const std::optional<Fault>& planned() {
  static const std::optional<Fault> fault = [] {
    const char* const value = std::getenv("CPPC_FAULT");
    return value == nullptr ? std::nullopt : parse(value);
  }();
  return fault;
}

/// Whether this process is the first of the job. A file that cannot be made for another reason than that it is there
/// does not keep the fault from striking: who looks for it misses it.
bool is_first() {
  const char* const file = std::getenv("CPPC_FAULT_RECORD");
  if (file == nullptr) return true;
  const int descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno != EEXIST;
  close(descriptor);
  return true;
}

/// The planned action if it is to happen here and now.
std::string_view strikes(std::string_view place) {
  static std::atomic<int> visits{0};
  static std::atomic<bool> has_struck{false};
  const auto& fault = planned();
  if (!fault || fault->place != place) return {};
  const int visit = visits.fetch_add(1) + 1;
  if (visit == fault->nth && is_first()) has_struck = true;
  const bool now = visit == fault->nth || (fault->onwards && visit > fault->nth);
  return now && has_struck ? std::string_view(fault->action) : std::string_view{};
}

/// Places may be asked for several actions: those that are not planned must not count.
bool plans(std::string_view action) { return planned() && planned()->action == action; }

}  // namespace

tl::expected<void, cppc_status> at(std::string_view place) {
  if (plans("corrupt") || plans("cut")) return {};
  const std::string_view action = strikes(place);
  if (action == "kill") std::raise(SIGKILL);
  while (action == "hang") pause();
  if (action == "stop") std::raise(SIGSTOP);
  if (action == "delay") std::this_thread::sleep_for(kDelay);
  if (action == "enomem") return tl::unexpected(CPPC_ERR_MEMORY);
  if (action == "enospc") return tl::unexpected(CPPC_ERR_SYSTEM);
  return {};
}

bool corrupts(std::string_view place) { return plans("corrupt") && !strikes(place).empty(); }

bool cuts(std::string_view place) { return plans("cut") && !strikes(place).empty(); }

std::string_view validation_error(std::string_view value) {
  if (value.empty() || parse(value)) return {};
  return "CPPC_FAULT is PLACE:ACTION[:NTH[+]], with a place of cppc-run(1) and an action of kill, hang, stop, "
         "delay, enomem, enospc, corrupt, cut";
}

}  // namespace cppc::fault
