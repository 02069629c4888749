#include "joined_lines.hpp"

#include <utility>

namespace cppc::fortran {

bool join_spliced_lines(std::string& text) {
  bool any = false;
  std::string made, line;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.compare(at, 2, "\\\n") == 0) {
      any = true;
      made += '\n';
      ++at;
      continue;
    }
    line += text[at];
    if (text[at] == '\n') made += std::exchange(line, {});
  }
  text = made + line;
  return any;
}

bool join_sentinels(std::string& text) {
  bool any = false;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const std::size_t sentinel = text.find_first_not_of(" \t", at);
    if (sentinel != std::string::npos && text.compare(sentinel, 2, "!$") == 0) {
      const std::size_t next = text.find_first_not_of(" \t", sentinel + 2);
      if (next > sentinel + 2 && next != std::string::npos && text[next] == '&') {
        text.replace(sentinel, 2, "  ");
        any = true;
      }
    }
    if (text.find('\n', at) == std::string::npos) break;
  }
  return any;
}

}  // namespace cppc::fortran
