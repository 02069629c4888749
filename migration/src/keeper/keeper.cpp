#include "cppc/keeper.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "cppc/deadlines.hpp"

namespace cppc::keeper {
namespace {

constexpr std::array<const char*, 4> kWords{"takes", "make", "find", "adopt"};
constexpr const char* kYes = "yes";

std::string reason() { return std::strerror(errno); }

tl::unexpected<std::string> unreachable(const std::string& why) {
  return tl::unexpected("the keeper of this node cannot be reached: " + why);
}

/// One descriptor beside a packet.
union Ancillary {
  cmsghdr header;
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

Result<UniqueFd> connect_to(const std::string& job) {
  const Address keeper = address_of(job);
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket) return unreachable(reason());
  // A keeper that has to bring an image from another node takes its time.
  const timeval timeout{.tv_sec = deadlines::ship().count(), .tv_usec = 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  while (connect(socket.get(), reinterpret_cast<const sockaddr*>(&keeper.address), keeper.size) != 0)
    if (errno != EINTR) return unreachable(reason());
  if (!is_own(socket.get())) return unreachable("its socket belongs to another user");
  return socket;
}

struct Answer {
  std::string text;
  UniqueFd file;
};

Result<Answer> receive(int socket) {
  std::array<char, longest_packet> text{};
  Ancillary ancillary{};
  iovec piece{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.bytes.data();
  message.msg_controllen = ancillary.bytes.size();
  ssize_t size = -1;
  while ((size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0)
    if (errno != EINTR) return unreachable(reason());
  Answer answer{std::string(text.data(), static_cast<std::size_t>(size)), {}};
  const cmsghdr* const control = CMSG_FIRSTHDR(&message);
  if (control != nullptr && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS) {
    int file = -1;
    std::memcpy(&file, CMSG_DATA(control), sizeof file);
    answer.file = UniqueFd(file);
  }
  return answer;
}

/// The file, if there is one.
Result<UniqueFd> ask(const std::string& job, const Request& request) {
  const auto socket = connect_to(job);
  if (!socket) return tl::unexpected(socket.error());
  const std::string packet = encode(request);
  while (send(socket->get(), packet.data(), packet.size(), MSG_NOSIGNAL) < 0)
    if (errno != EINTR) return unreachable(reason());
  auto answer = receive(socket->get());
  if (!answer) return tl::unexpected(answer.error());
  if (answer->text.empty()) return unreachable("it has ended");
  if (answer->text != kYes) return tl::unexpected(std::move(answer->text));
  return std::move(answer->file);
}

Result<UniqueFd> ask_for_file(const std::string& job, const Request& request) {
  auto file = ask(job, request);
  if (file && !*file) return unreachable("it has sent no file");
  return file;
}

}  // namespace

Result<void> takes(const std::string& job, std::uint64_t set) {
  return ask(job, {.kind = Request::Kind::takes, .set = set}).map([](const UniqueFd&) {});
}

Result<UniqueFd> make(const std::string& job, std::uint64_t set, int rank, std::uint64_t bytes) {
  return ask_for_file(job, {Request::Kind::make, set, rank, bytes});
}

Result<UniqueFd> find(const std::string& job, std::uint64_t set, int rank) {
  return ask_for_file(job, {.kind = Request::Kind::find, .set = set, .rank = rank});
}

Result<UniqueFd> adopt(const std::string& job) { return ask_for_file(job, {.kind = Request::Kind::adopt}); }

Result<pid_t> process_of(const std::string& job) {
  const auto socket = connect_to(job);
  if (!socket) return tl::unexpected(socket.error());
  ucred keeper{};
  socklen_t size = sizeof keeper;
  if (getsockopt(socket->get(), SOL_SOCKET, SO_PEERCRED, &keeper, &size) != 0) return unreachable(reason());
  return keeper.pid;
}

std::string encode(const Request& request) {
  return std::string(kWords[static_cast<std::size_t>(request.kind)]) + ' ' + std::to_string(request.set) + ' ' +
         std::to_string(request.rank) + ' ' + std::to_string(request.bytes);
}

std::optional<Request> decode(std::string_view packet) {
  std::array<char, 6> word{};
  Request request;
  int size = 0;
  unsigned long set = 0, bytes = 0;
  const std::string text(packet);
  if (std::sscanf(text.c_str(), "%5[a-z] %lu %d %lu%n", word.data(), &set, &request.rank, &bytes, &size) != 4 ||
      static_cast<std::size_t>(size) != packet.size() || request.rank < 0)
    return std::nullopt;
  const auto* const known =
      std::ranges::find_if(kWords, [&](const char* one) { return word.data() == std::string_view(one); });
  if (known == kWords.end()) return std::nullopt;
  request.kind = static_cast<Request::Kind>(known - kWords.begin());
  request.set = set;
  request.bytes = bytes;
  return request;
}

Address address_of(const std::string& job) {
  Address result;
  result.address.sun_family = AF_UNIX;
  const std::string name = "cppc-keeper-" + job;  // after a byte of 0: not in a file system
  const std::size_t size = std::min(name.size(), sizeof result.address.sun_path - 1);
  name.copy(result.address.sun_path + 1, size);
  result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  return result;
}

bool is_own(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

bool answer(int socket, const Result<int>& file) {
  std::string text = file ? kYes : file.error().substr(0, longest_packet);
  iovec piece{text.data(), text.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  Ancillary ancillary{};
  if (file && *file >= 0) {
    message.msg_control = ancillary.bytes.data();
    message.msg_controllen = ancillary.bytes.size();
    cmsghdr* const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &*file, sizeof(int));
  }
  ssize_t sent = -1;
  while ((sent = sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR) continue;
  return sent >= 0;
}

}  // namespace cppc::keeper
