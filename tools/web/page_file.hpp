/// The files of the page for browsers, which are part of the programs that serve it.
#pragma once

#include <string_view>

namespace cppc::tools {

struct PageFile {
  std::string_view path;  ///< of requests: "/page.js"
  const char* content_type;
  std::string_view content;
};

/// Null: there is none.
const PageFile* page_file(std::string_view path);

}  // namespace cppc::tools
