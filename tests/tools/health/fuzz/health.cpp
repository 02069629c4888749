/// What cppc-health is told: notices, Alertmanager's messages, what commands and sinfo print, its configuration.
#include <array>

#include "configuration.hpp"
#include "engine.hpp"
#include "fuzz.hpp"
#include "pollers.hpp"
#include "slurm.hpp"

namespace {

using namespace cppc;
using namespace cppc::health;
using fuzz::require;

// Whatever comes, no more is begun than the brakes allow.
void decide(const std::vector<Notice>& notices) {
  Rule all;
  all.action = Action::evacuate;
  all.deadline = std::chrono::seconds(60);
  all.deadline_from_notice = true;
  Engine engine({all}, {1, 2, 1}, {});
  engine.set_nodes({"node0", "node1", "node2"});
  Time now{};
  for (const Notice& notice : notices) {
    engine.take(notice, now += Time(1000));
    require(engine.advance(now).size() <= 1);
  }
  require(engine.evacuations().size() <= 3);
}

void check(const std::vector<Notice>& notices) {
  for (const Notice& notice : notices) {
    require(!notice.key.empty() && !notice.source.empty());
    require(!notice.deadline_s || (*notice.deadline_s >= 0 && *notice.deadline_s <= 30 * 24 * 3600));
    const auto again = notice_from(to_json(notice));
    if (again) require(again->key == notice.key && again->node == notice.node && again->firing == notice.firing);
  }
  decide(notices);
}

void try_notices(const std::string& text) {
  if (const auto notices = notices_in(text)) {
    check(*notices);
    for (const Notice& notice : *notices) require(is_node_name(notice.node));
  }
}

void try_alertmanager(const std::string& text) {
  if (const auto notices = notices_of_alertmanager(text)) check(*notices);
}

void try_printed(const std::string& text) {
  std::string failure;
  check(notices_printed(text, "command", failure));
}

void try_sinfo(const std::string& text) {
  if (const auto nodes = parse_sinfo(text)) check(slurm_notices(*nodes, {}));
}

void try_configuration(const std::string& text) {
  const auto configuration = parse_configuration(text, "file");
  require(configuration || configuration.error().starts_with("file:"));
}

}  // namespace

namespace cppc::fuzz {

/// The first byte says what it is.
std::vector<Bytes> seeds() {
  return {
      bytes_of(R"(0[{"key":"k","source":"ipmi","node":"node1","reason":"fan","severity":"critical","deadline":600},)"
               R"({"key":"k","source":"ipmi","node":"node1","state":"resolved","labels":{"a":"b"}}])"),
      bytes_of(R"(1{"version":"4","alerts":[{"status":"firing","labels":{"node":"node1","severity":"warning"},)"
               R"("annotations":{"summary":"sda","deadline_s":"60"},"startsAt":"t","fingerprint":"f"}]})"),
      bytes_of("2{\"key\":\"1\",\"node\":\"node0\"}\n\n{\"key\":\"2\",\"node\":\"node1\"}\n"),
      bytes_of("3node0|idle|none\nnode1|drng*|fan | 3\nnode2|drain|cppc: x\n"),
      bytes_of(
          "4[site]\nnodes = [\"node0\"]\nper_hour = 2\n[[rule]]\nmatch = {label.a = \"b\"}\naction = \"evacuate\"\n"
          "deadline_s = 6\n[[source]]\nkind = \"command\"\nrun = [\"a\"]\n[listen]\ntoken_file = \"/t\"\n")};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::array attempts{try_notices, try_alertmanager, try_printed, try_sinfo, try_configuration};
  attempts[static_cast<std::uint8_t>(data[0] - '0') % attempts.size()](
      std::string(cppc::fuzz::text_of(std::as_bytes(std::span(data, size)).subspan(1))));
  return 0;
}
