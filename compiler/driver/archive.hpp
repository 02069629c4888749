/// Archives of objects, as ar makes them, ordinary and thin.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "result.hpp"

namespace cppc::driver {

struct Member {
  std::string name;
  std::string contents;
};

bool is_archive(std::string_view contents);

/// The members of the archive with `contents`, in order; its index is none. `path`: the archive's own, which members of
/// a thin one are beside.
Result<std::vector<Member>> read_archive(const std::string& path, std::string_view contents);

}  // namespace cppc::driver
