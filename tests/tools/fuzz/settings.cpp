/// Settings in words: lists of hosts, mpirun's contact, deadlines, faults.
#include <array>
#include <sstream>

#include "cppc/choices.hpp"
#include "cppc/deadlines.hpp"
#include "cppc/fault.hpp"
#include "fuzz.hpp"
#include "host_lists.hpp"
#include "remote_command.hpp"

namespace {

using namespace cppc;
using fuzz::require;

const run::Machine machine{"head", [](const std::string& name) { return name == "localhost"; }, 4};

void check(const std::vector<run::AllocatedNode>& nodes) {
  for (const run::AllocatedNode& node : nodes) require(!node.slots || *node.slots >= 1);
}

void try_host_list(const std::string& text) {
  if (const auto nodes = run::parse_host_list(text, machine)) check(*nodes);
}

void try_host_file(const std::string& text) {
  std::istringstream file(text);
  if (const auto nodes = run::parse_host_file(file, "hosts", machine)) check(*nodes);
}

void try_contact(const std::string& text) {
  const std::vector<std::string> arguments{"orted", text};
  const auto contact = launch::find_contact(arguments);
  const auto led = launch::with_port(arguments, 4711);
  require(led.size() == 2);
  if (contact) require(launch::find_contact(led)->port == 4711);
}

void try_deadline(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) return;
  (void)deadlines::validation_error(text.substr(0, equals), text.substr(equals + 1));
  (void)choices::validation_error(text.substr(0, equals), text.substr(equals + 1));
}

void try_fault(const std::string& text) { (void)fault::validation_error(text); }

}  // namespace

namespace cppc::fuzz {

/// The first byte says what it is.
std::vector<Bytes> seeds() {
  return {bytes_of("0node0:2,node1,localhost,node2:*,node3.example.org:auto,10.0.0.1"),
          bytes_of("1# hosts\nnode0 slots=2\nnode1 count = 3 // many\n\nlocalhost\n"),
          bytes_of("2-mca orte_hnp_uri \"1.0;tcp://10.0.0.1,10.1.0.1:4711;tcp6://[fe80::1]:4712\""),
          bytes_of("3CPPC_DEADLINE_SHIP=600"), bytes_of("4replacement-restore:kill:2")};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::array attempts{try_host_list, try_host_file, try_contact, try_deadline, try_fault};
  attempts[static_cast<std::uint8_t>(data[0] - '0') % attempts.size()](
      std::string(cppc::fuzz::text_of(std::as_bytes(std::span(data, size)).subspan(1))));
  return 0;
}
