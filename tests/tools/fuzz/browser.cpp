/// What browsers and strangers say of themselves in the head of a request: who has neither token nor session gets no
/// further.
#include "browser_access.hpp"
#include "fuzz.hpp"

namespace {

using namespace cppc;

// The lines of the input, as parts of the head.
tools::HttpRequest head_of(std::string_view text) {
  tools::HttpRequest head;
  const auto next = [&] {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  };
  head.method = next();
  head.path = next();
  head.authorization = {next()};
  head.cookie = next();
  head.csrf_token = next();
  head.peer = next();
  return head;
}

}  // namespace

namespace cppc::fuzz {

std::vector<Bytes> seeds() {
  return {bytes_of("GET\n/page.js\n\n\n\n192.0.2.1"),
          bytes_of("POST\n/v1/session\nBearer 0123456789abcdef\n\n\n192.0.2.1"),
          bytes_of("DELETE\n/v1/session\n\ncppc-4711=0123456789abcdef; other=1\n0123456789abcdef\n192.0.2.1"),
          bytes_of("POST\n/v1/migrations\n\ncppc-4711=; cppc-4711=0\n\n192.0.2.2")};
}

}  // namespace cppc::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static tools::BrowserAccess access("a-token-that-no-input-of-this-has-in-it", {"cppc-run", 4711, true});
  const auto answer = access(head_of(cppc::fuzz::text_of(std::as_bytes(std::span(data, size)))));
  cppc::fuzz::require(answer.has_value());
  cppc::fuzz::require(answer->status == 200 || answer->status == 401 || answer->status == 429);
  return 0;
}
