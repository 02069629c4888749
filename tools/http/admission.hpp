/// Who may ask for something over the network.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "http_message.hpp"

namespace cppc::tools {

using Admission = std::function<bool(const HttpRequest& head)>;

/// Who knows the token: "Authorization: Bearer TOKEN".
Admission by_token(std::string token);

/// This user and root, as munged says: "Authorization: MUNGE CREDENTIAL". The credential has to be for this very
/// request to a server of which `is_own` says that it is this one ("HOST:PORT").
Admission by_munge(std::function<bool(std::string_view authority)> is_own);

/// 401 to everybody else.
AnswerToHead refusing_others(Admission admission);

}  // namespace cppc::tools
