#include "toml.hpp"

#include <algorithm>

namespace cppc::health {
namespace {

constexpr double longest_s = 30 * 24 * 3600.0;

}  // namespace

const toml::node* Table::find(const char* key) {
  known_.emplace_back(key);
  return table_.get(key);
}

void Table::fail(const toml::node& at, const std::string& what) {
  if (failure_.empty()) failure_ = file_ + ":" + std::to_string(at.source().begin.line) + ": " + what;
}

void Table::wrong(const toml::node& node, const char* key, const std::string& wanted) {
  fail(node, std::string(key) + " in " + name_ + " has to be " + wanted);
}

void Table::refuse(const std::string& what, const char* key) {
  const toml::node* const node = key != nullptr ? table_.get(key) : nullptr;
  fail(node != nullptr ? *node : table_, what);
}

void Table::text(const char* key, std::string& into) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const auto value = node->value_exact<std::string>();
  if (!value || value->empty()) return wrong(*node, key, "a string in quotes that is not empty");
  into = *value;
}

void Table::path(const char* key, std::filesystem::path& into) {
  std::string text;
  this->text(key, text);
  if (text.empty()) return;
  if (text.front() != '/') return wrong(*table_.get(key), key, "a path that begins with /");
  into = text;
}

void Table::yes_or_no(const char* key, bool& into) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const auto value = node->value_exact<bool>();
  if (!value) return wrong(*node, key, "true or false");
  into = *value;
}

void Table::number(const char* key, int& into, int least, int most) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < least || *value > most)
    return wrong(*node, key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  into = static_cast<int>(*value);
}

void Table::seconds(const char* key, std::chrono::milliseconds& into, double least) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !(*value >= least) || *value > longest_s)
    return wrong(*node, key,
                 "a number of seconds, " + std::string(least > 0 ? "above 0" : "0 or more") + ", at most 30 days");
  into = std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>(*value * 1000));
}

void Table::texts(const char* key, std::vector<std::string>& into) {
  const toml::node* const node = find(key);
  if (node == nullptr) return;
  const toml::array* const list = node->as_array();
  if (list == nullptr || list->empty() || !list->is_homogeneous<std::string>())
    return wrong(*node, key, "a list of strings, such as [\"a\", \"b\"]");
  for (const toml::node& one : *list) into.push_back(*one.value<std::string>());
}

void Table::texts_by_name(const char* key, std::map<std::string, std::string>& into) {
  const toml::table* const texts = table(key);
  if (texts == nullptr) return;
  for (const auto& [name, node] : *texts) {
    const auto value = node.value_exact<std::string>();
    if (!value) return fail(node, std::string(name.str()) + " in " + key + " has to be a string in quotes");
    into[std::string(name.str())] = *value;
  }
}

const toml::table* Table::table(const char* key) {
  const toml::node* const node = find(key);
  if (node == nullptr) return nullptr;
  if (node->as_table() == nullptr) wrong(*node, key, "a table");
  return node->as_table();
}

std::vector<const toml::table*> Table::tables(const char* key) {
  std::vector<const toml::table*> tables;
  const toml::node* const node = find(key);
  if (node == nullptr) return tables;
  const toml::array* const list = node->as_array();
  if (list == nullptr || (!list->empty() && !list->is_homogeneous<toml::table>())) {
    fail(*node, std::string("write [[") + key + "]], with two brackets: there may be several");
    return tables;
  }
  for (const toml::node& one : *list) tables.push_back(one.as_table());
  return tables;
}

void Table::finish() {
  for (const auto& [key, node] : table_) {
    if (std::ranges::find(known_, key.str()) == known_.end()) {
      std::string list;
      for (const std::string& one : known_) list += (list.empty() ? "" : ", ") + one;
      fail(node, "there is no " + std::string(key.str()) + " in " + name_ + ", only " + list);
    }
  }
}

}  // namespace cppc::health
