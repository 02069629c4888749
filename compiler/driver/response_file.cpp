#include "response_file.hpp"

#include <cctype>
#include <iterator>
#include <optional>
#include <sstream>

#include "files.hpp"

namespace cppc::driver {
namespace {

// gcc's limit against files that name themselves.
constexpr int most_files = 2000;

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Takes one word from the front of `text`, which does not begin with a blank.
std::string take_word(std::string_view& text) {
  std::string word;
  char quote = 0;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text.front();
    if (c == '\\' && text.size() > 1) {
      text.remove_prefix(1);
      word += text.front();
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (is_blank(c)) {
      break;
    } else {
      word += c;
    }
  }
  return word;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    if (text.empty()) return words;
    words.push_back(take_word(text));
  }
}

void expand(std::span<const std::string> arguments, int& files, std::vector<std::string>& expanded) {
  for (const std::string& one : arguments) {
    const auto text = one.starts_with('@') && files < most_files ? read_regular_file(one.substr(1)) : std::nullopt;
    if (text) {
      ++files;
      expand(words_of(*text), files, expanded);
    } else {
      expanded.push_back(one);
    }
  }
}

}  // namespace

std::vector<std::string> expand_response_files(std::span<const std::string> arguments) {
  std::vector<std::string> expanded;
  int files = 0;
  expand(arguments, files, expanded);
  return expanded;
}

std::string response_file_text(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    text += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += "\"\n";
  }
  return text;
}

std::vector<std::string> split_at_blanks(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace cppc::driver
