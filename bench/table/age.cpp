#include "age.hpp"

#include <regex>

#include "process.hpp"

namespace cppc::bench {
namespace {

const std::string kChanged = "; changed since: ";
constexpr int kDiffers = 1;  // git diff's exit status

}  // namespace

std::string changes_since(const std::string& commit, const std::string& checkout,
                          const std::vector<std::string>& folders) {
  std::string changed;
  for (const std::string& folder : folders) {
    const int status = test::run({"git", "-C", checkout, "diff", "--quiet", commit, "--", folder}).status;
    if (status == 0) continue;
    if (status != kDiffers) return kChanged + "unknown, as this history lacks that commit";
    changed += (changed.empty() ? kChanged + "`" : ", `") + folder + "`";
  }
  return changed;
}

std::string without_changes(const std::string& table) {
  return std::regex_replace(table, std::regex(kChanged + "[^|]*(?= \\|)"), "");
}

}  // namespace cppc::bench
