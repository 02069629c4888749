/// A request of HTTP and its answer, as far as the job's interface has to do with them.
#pragma once

#include <string>
#include <vector>

namespace cppc::run {

struct HttpRequest {
  std::string method, path;                ///< without a query
  std::vector<std::string> authorization;  ///< of each header Authorization
  std::string body;
};

struct HttpAnswer {
  int status = 200;
  std::string body;  ///< JSON
};

/// {"error":text}
HttpAnswer error_answer(int status, const std::string& text);

}  // namespace cppc::run
