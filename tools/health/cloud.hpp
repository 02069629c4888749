/// What a cloud says about the machine that asks, by its metadata server.
#pragma once

#include <functional>

#include "http_client.hpp"
#include "notice.hpp"

namespace cppc::health {

/// One request to the metadata server.
using AskCloud = std::function<migrate::HttpReply(const migrate::HttpRequest&)>;

/// What fires now, for `node`; `now` is the wall clock's, in seconds since 1970, as clouds say when, not how soon.
/// An error when there is no answer that makes sense.
Result<std::vector<Notice>> aws_notices(const AskCloud& ask, const std::string& node, double now);
Result<std::vector<Notice>> gcp_notices(const AskCloud& ask, const std::string& node);
Result<std::vector<Notice>> azure_notices(const AskCloud& ask, const std::string& node, double now);

/// "2017-09-18T08:22:00Z" or "Mon, 19 Sep 2016 18:29:47 GMT", in seconds since 1970.
Result<double> time_in(const std::string& text);

}  // namespace cppc::health
