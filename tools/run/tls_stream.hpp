/// A TLS connection that any stranger may have opened: there is an end to the time and the bytes of all that he does.
#pragma once

#include <httplib.h>

#include <chrono>
#include <memory>

#include "../common/unique_fd.hpp"

namespace cppc::run {

class TlsStream : public httplib::Stream {
 public:
  /// While `closing` is readable, nobody is waited for any more who has not been admitted. `most` bytes are taken from
  /// who has been.
  TlsStream(tools::UniqueFd socket, SSL_CTX* context, int closing, std::size_t most);

  /// The stream that this request has come by.
  static TlsStream& of(const httplib::Request& request);

  bool shake_hands();
  SSL* session() const { return session_.get(); }

  /// The request is one of those that are answered: it gets the time and the room for that.
  void admit();

  /// After the answer: waits until the other side has taken it.
  void part();

  bool is_readable() const override { return true; }  // read() waits
  bool is_writable() const override { return true; }
  ssize_t read(char* data, size_t size) override;
  ssize_t write(const char* data, size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_.get(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };

  template <class Step>
  int carry_out(Step step);
  bool wait_for(short events) const;

  tools::UniqueFd socket_;
  std::unique_ptr<SSL, Free> session_;
  int closing_;
  std::size_t most_;
  std::size_t left_;  // bytes that may still be read
  Clock::time_point deadline_;
  bool admitted_ = false;
};

}  // namespace cppc::run
