#include "token.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "cppc/unique_fd.hpp"

namespace cppc::tools {
namespace {

constexpr std::size_t shortest_token = 32;
constexpr std::size_t longest_token = 4096;

// "token68" of RFC 7235.
bool may_be_in_token(unsigned char c) {
  return std::isalnum(c) != 0 || std::string_view("-._~+/=").find(static_cast<char>(c)) != std::string_view::npos;
}

Result<std::string> read_all(int file) {
  std::string text(longest_token + 2, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = read(file, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error(std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace

Result<std::string> read_token(const std::filesystem::path& path) {
  const std::string name = "the token file " + path.string();
  // Not to wait for somebody who writes into a pipe.
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) return error("cannot open " + name + ": " + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return error(name + " is not a regular file");
  if (status.st_uid != geteuid()) return error(name + " belongs to somebody else");
  if ((status.st_mode & 077) != 0) return error(name + " is open to others: it has to have mode 0600");
  auto token = read_all(file.get());
  if (!token) return error("cannot read " + name + ": " + token.error());
  if (token->ends_with('\n')) token->pop_back();
  if (token->size() < shortest_token) {
    return error(name + " holds less than " + std::to_string(shortest_token) + " characters");
  }
  if (token->size() > longest_token || !std::all_of(token->begin(), token->end(), may_be_in_token)) {
    return error(name + " has to hold one line of at most " + std::to_string(longest_token) +
                 " letters, digits and -._~+/=");
  }
  return token;
}

}  // namespace cppc::tools
