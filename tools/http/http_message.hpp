/// A request of HTTP and its answer, as far as what is served has to do with them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cppc::tools {

struct HttpRequest {
  std::string method, path;                ///< without a query
  std::vector<std::string> authorization;  ///< of each header Authorization
  std::string last_event_id;               ///< of the header Last-Event-ID
  std::string cookie, csrf_token;          ///< of the headers Cookie and X-CSRF-Token
  std::string peer;                        ///< the address that it has come from; empty: this user's own process
  std::optional<uid_t> user;               ///< who asks, if that is known
  std::string body;
};

/// An answer that goes on: it is sent as it comes.
class HttpStream {
 public:
  virtual ~HttpStream() = default;

  /// Calls `more` once, on any thread, with what is to be sent next, or with nothing when that is all. It has to do so
  /// within a minute.
  virtual void next(std::function<void(std::string)> more) = 0;
};

struct HttpAnswer {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< besides those that each answer has
  std::shared_ptr<HttpStream> stream = nullptr;                   ///< in place of a body
};

/// What is answered when the head of a request has come, and its body is not read: to who may not ask, and to what
/// everybody may ask. None: the request is to be read and answered. It may fill in who asks.
using AnswerToHead = std::function<std::optional<HttpAnswer>(HttpRequest& head)>;

/// {"error":text}
HttpAnswer error_answer(int status, const std::string& text);

}  // namespace cppc::tools
