/// A TCP connection between keepers, for one thread that waits. It breaks when the other side is silent for too long:
/// Asio's functions that wait have no such limit.
#pragma once

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "../common/result.hpp"
#include "cppc/unique_fd.hpp"

namespace cppc::keeper {

template <class T>
using Result = tools::Result<T>;

class Stream {
 public:
  /// To the first of these ("10.0.0.1:4711,[fd00::1]:4711") that answers.
  static Result<Stream> connect(const std::string& addresses, std::chrono::seconds silence);
  /// A socket that is connected.
  Stream(UniqueFd socket, std::chrono::seconds silence);

  Result<void> send(std::span<const std::byte> bytes);
  Result<void> receive(std::span<std::byte> bytes);

  /// Objects, one a line. An error for anything else, and for longer ones than `longest`.
  Result<void> send_line(const nlohmann::json& object);
  Result<nlohmann::json> receive_line();
  static constexpr std::size_t longest = 4096;

  template <class T>
  Result<void> send_numbers(const T& numbers) {
    return send(std::as_bytes(std::span(numbers)));
  }
  template <class T>
  Result<void> receive_numbers(T&& numbers) {
    return receive(std::as_writable_bytes(std::span(numbers)));
  }

 private:
  UniqueFd socket_;
};

}  // namespace cppc::keeper
