/// The keeper: a process on each node of a job that is no part of it, and has the images of its checkpoints in memory.
/// Ranks and agents of the node speak to it here, by packets over a UNIX socket; files come and go as descriptors. Only
/// processes of the same user are answered, or asked.
///
/// Sets of images are numbered, from 1 on; cppc-run begins them. Thread-safe; errors are sentences for people.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "cppc/unique_fd.hpp"

namespace cppc::keeper {

template <class T>
using Result = tl::expected<T, std::string>;

/// Whether the keeper of this node takes images of the set.
Result<void> takes(const std::string& job, std::uint64_t set);

/// A file in the keeper's memory for an image of so many bytes: empty, to be written from its start. An error when
/// there is not so much memory.
Result<UniqueFd> make(const std::string& job, std::uint64_t set, int rank, std::uint64_t bytes);

/// The file of an image, for reading. The keeper brings it from another node if it has to.
Result<UniqueFd> find(const std::string& job, std::uint64_t set, int rank);

/// For a cppc-run that takes up a job whose own one has ended: a stream on which the keeper takes requests as before,
/// on its standard input, and answers them. An error while that one is still there.
Result<UniqueFd> adopt(const std::string& job);
/// The process that the job's keeper on this node is, whether it answers or not.
Result<pid_t> process_of(const std::string& job);

// The keeper's side.

struct Request {
  enum class Kind { takes, make, find, adopt } kind = Kind::takes;
  std::uint64_t set = 0;
  int rank = 0;             ///< of make and find
  std::uint64_t bytes = 0;  ///< of make
};

std::string encode(const Request& request);
std::optional<Request> decode(std::string_view packet);

/// A keeper's socket: a name that belongs to the machine, or its network namespace, and not to a file system.
struct Address {
  sockaddr_un address{};
  socklen_t size = 0;
};
Address address_of(const std::string& job);

/// The longest request and the longest reason for a refusal, in bytes.
inline constexpr std::size_t longest_packet = 1024;

/// Whether the other end is a process of this user, or of root.
bool is_own(int socket);

/// Answers the request that has come by the socket: with the file, if there is one, or why not. False: nobody listens.
bool answer(int socket, const Result<int>& file);

}  // namespace cppc::keeper
