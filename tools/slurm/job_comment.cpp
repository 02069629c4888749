#include "job_comment.hpp"

#include <sstream>

namespace cppc::slurm {
namespace {

const std::string mark = "cppc=";

}  // namespace

std::vector<std::string> controllers_in(const std::string& comment) {
  std::vector<std::string> urls;
  std::istringstream words(comment);
  for (std::string word; words >> word;)
    if (word.starts_with(mark + "https://")) urls.push_back(word.substr(mark.size()));
  return urls;
}

std::string with_controller(const std::string& comment, const std::string& url) {
  const std::string rest = without_controller(comment, url);
  return rest + (rest.empty() ? "" : " ") + mark + url;
}

std::string without_controller(const std::string& comment, const std::string& url) {
  const std::string word = mark + url;
  for (std::size_t at = comment.find(word); at != std::string::npos; at = comment.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || comment[at - 1] == ' ', ends = end == comment.size() || comment[end] == ' ';
    if (!begins || !ends) continue;
    const std::string before = comment.substr(0, at == 0 ? 0 : at - 1);
    return before + comment.substr(at == 0 && end < comment.size() ? end + 1 : end);
  }
  return comment;
}

}  // namespace cppc::slurm
