/// Tables of a TOML file, taken to pieces: what is missing, of the wrong type or not known is an error with its line.
#pragma once

#include <toml++/toml.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "../common/result.hpp"

namespace cppc::health {

/// One table. Every key that is asked for is known; finish() refuses the others. The first error is kept.
class Table {
 public:
  Table(const toml::table& table, std::string file, std::string name, std::string& failure)
      : table_(table), file_(std::move(file)), name_(std::move(name)), failure_(failure) {}

  /// Leave `into` as it is when the key is not there.
  void text(const char* key, std::string& into);
  void path(const char* key, std::filesystem::path& into);
  void yes_or_no(const char* key, bool& into);
  void number(const char* key, int& into, int least, int most);
  void seconds(const char* key, std::chrono::milliseconds& into, double least);
  void texts(const char* key, std::vector<std::string>& into);
  void texts_by_name(const char* key, std::map<std::string, std::string>& into);
  /// Null when it is not there.
  const toml::table* table(const char* key);
  std::vector<const toml::table*> tables(const char* key);

  bool has(const char* key) const { return table_.contains(key); }
  void finish();
  /// At the line of this table, or of one of its keys.
  void refuse(const std::string& what, const char* key = nullptr);
  int line() const { return static_cast<int>(table_.source().begin.line); }

 private:
  const toml::node* find(const char* key);
  void wrong(const toml::node& node, const char* key, const std::string& wanted);
  void fail(const toml::node& at, const std::string& what);

  const toml::table& table_;
  const std::string file_, name_;
  std::string& failure_;
  std::vector<std::string> known_;
};

}  // namespace cppc::health
