#include "site.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <vector>

namespace cppc::run {
namespace {

using tools::error;
namespace fs = std::filesystem;

std::optional<uid_t> user_called(const std::string& name) {
  std::vector<char> memory(1 << 16);
  passwd entry{};
  passwd* found = nullptr;
  getpwnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found);
  return found == nullptr ? std::nullopt : std::optional(found->pw_uid);
}

Result<std::set<uid_t>> read_users(const toml::node& users) {
  std::set<uid_t> all;
  const toml::array* const names = users.as_array();
  if (names == nullptr) return error("operators.users has to be a list of users");
  for (const toml::node& one : *names) {
    const auto name = one.value<std::string>();
    const auto user = name ? user_called(*name) : std::nullopt;
    if (!user) return error(name ? "there is no user " + *name : "operators.users has to be a list of users");
    all.insert(*user);
  }
  return all;
}

Result<void> read_owners(const toml::table& owners, Site& site) {
  for (const auto& [name, value] : owners) {
    bool* const setting = name.str() == "may_refuse"       ? &site.owners_may_refuse
                          : name.str() == "may_set_window" ? &site.owners_may_set_window
                                                           : nullptr;
    if (setting == nullptr) return error("there is no owners." + std::string(name.str()));
    if (!value.is_boolean()) return error("owners." + std::string(name.str()) + " has to be true or false");
    *setting = *value.value<bool>();
  }
  return {};
}

Result<void> read_operators(const toml::table& operators, Site& site) {
  for (const auto& [name, value] : operators) {
    if (name.str() != "users") return error("there is no operators." + std::string(name.str()));
    auto users = read_users(value);
    if (!users) return error(std::move(users).error());
    site.operators = *std::move(users);
  }
  return {};
}

Result<Site> read_tables(const toml::table& tables) {
  Site site;
  for (const auto& [name, value] : tables) {
    const toml::table* const table = value.as_table();
    const auto read = table != nullptr && name.str() == "operators" ? read_operators(*table, site)
                      : table != nullptr && name.str() == "owners"
                          ? read_owners(*table, site)
                          : Result<void>(error("there is no " + std::string(name.str())));
    if (!read) return error(read.error());
  }
  return site;
}

Result<void> check_writers(const fs::path& file) {
  struct stat state {};
  if (stat(file.c_str(), &state) != 0) return error("it cannot be read");
  if (state.st_uid != 0 && state.st_uid != geteuid()) return error("it is not root's");
  if ((state.st_mode & (S_IWGRP | S_IWOTH)) != 0) return error("others than root may write it");
  return {};
}

// "06:30"
std::optional<std::chrono::minutes> parse_time(const std::string& text) {
  int hours = 0, minutes = 0, length = 0;
  if (text.size() != 5 || std::sscanf(text.c_str(), "%2d:%2d%n", &hours, &minutes, &length) != 2 || length != 5 ||
      hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
    return std::nullopt;
  return std::chrono::hours(hours) + std::chrono::minutes(minutes);
}

std::string text_of(std::chrono::minutes time) {
  return fmt::format("{:02}:{:02}", time.count() / 60, time.count() % 60);
}

}  // namespace

Result<Site> read_site(const fs::path& file) {
  std::error_code failure;
  if (!fs::exists(file, failure)) return Site{};
  const auto read = check_writers(file).and_then([&]() -> Result<Site> {
    try {
      return read_tables(toml::parse_file(file.string()));
    } catch (const toml::parse_error& wrong) {
      return error(std::string(wrong.description()));
    }
  });
  return read ? read : error(file.string() + ": " + read.error());
}

Result<SiteMoves> SiteMoves::parse(const std::string& text, const Site& site) {
  SiteMoves moves;
  if (text == "never") {
    if (!site.owners_may_refuse) return error("--site-moves never: this site does not let owners of jobs say that");
    moves.never_ = true;
    return moves;
  }
  const auto dash = text.find('-');
  const auto from = parse_time(text.substr(0, dash));
  const auto to = dash == std::string::npos ? std::nullopt : parse_time(text.substr(dash + 1));
  if (!from || !to || *from == *to)
    return error("--site-moves needs never, or two times of day such as 18:00-06:00, and not " + text);
  if (!site.owners_may_set_window)
    return error("--site-moves " + text + ": this site does not let owners of jobs say that");
  moves.from_ = *from;
  moves.to_ = *to;
  return moves;
}

std::string SiteMoves::refusal(std::chrono::minutes now) const {
  if (never_) return "the job's owner lets nobody else move its ranks";
  const bool within = from_ <= to_ ? from_ <= now && now < to_ : now >= from_ || now < to_;
  if (from_ == to_ || within) return "";
  return "the job's owner lets others move its ranks from " + text_of(from_) + " to " + text_of(to_) + " only";
}

std::chrono::minutes time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return std::chrono::hours(local.tm_hour) + std::chrono::minutes(local.tm_min);
}

}  // namespace cppc::run
