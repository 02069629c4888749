/// Who may ask for something over the network.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "http_message.hpp"

namespace cppc::tools {

/// May fill in who asks.
using Admission = std::function<bool(HttpRequest& head)>;

/// Who knows the token: "Authorization: Bearer TOKEN".
std::function<bool(const HttpRequest& head)> by_token(std::string token);

/// This user, root and these, as munged says: "Authorization: MUNGE CREDENTIAL". The credential has to be for this very
/// request to a server of which `is_own` says that it is this one ("HOST:PORT").
Admission by_munge(std::function<bool(std::string_view authority)> is_own, std::set<uid_t> others = {});

/// 401 to everybody else.
AnswerToHead refusing_others(Admission admission);

}  // namespace cppc::tools
