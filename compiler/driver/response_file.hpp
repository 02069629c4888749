/// Response files: `@file` on a command line stands for the words in the file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cppc::driver {

/// `arguments` with every `@file` replaced by the file's words, which may again name files. Quoting is that of gcc and
/// clang: blanks separate, '...' and "..." hold together, a backslash takes the next character as it is. The name of a
/// file that cannot be read stays as it stands, as with gcc.
std::vector<std::string> expand_response_files(std::span<const std::string> arguments);

/// The text of a response file that stands for `words`.
std::string response_file_text(std::span<const std::string> words);

/// The words of a text without quotes, as `mpicc --showme` prints them.
std::vector<std::string> split_at_blanks(std::string_view text);

}  // namespace cppc::driver
