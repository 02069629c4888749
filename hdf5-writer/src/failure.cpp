#include "failure.hpp"

#include <spdlog/spdlog.h>

namespace cppc::image {

void log_error(std::string_view text) { spdlog::error(text); }

}  // namespace cppc::image
