/// The wrappers in an installation of their own, with a translator that is the test's, and a directory to work in.
/// Their names have blanks in them.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "process.hpp"
#include "temporary_directory.hpp"

namespace cppc::driver {

using Words = std::vector<std::string>;

class WrapperTest : public testing::Test {
 protected:
  WrapperTest();
  /// Whatever the test has done, the wrapper has left nothing behind.
  ~WrapperTest() override;

  /// Runs `command` in the directory to work in, where cppc-cc is in PATH.
  test::Finished run(const Words& command) const;
  /// From now on every cppc-cc is called with --portable.
  void make_portable() { portable_ = true; }
  /// Starts it.
  [[nodiscard]] test::Process start(const Words& command) const;
  /// Runs it and expects that it goes well and says nothing; its output.
  std::string well(const Words& command) const;
  /// Runs it and expects status and message.
  void fails(const Words& command, int status, const std::string& message) const;
  void set(const std::string& variable, const std::string& value) { settings_.push_back(variable + "=" + value); }

  /// A path in the directory to work in.
  [[nodiscard]] std::string path(const std::string& name) const { return work_ + "/" + name; }
  [[nodiscard]] std::string installed(const std::string& name) const { return installation_ + "/" + name; }
  /// Writes a file there, with the directories to it.
  void write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool exists(const std::string& name) const;
  /// Names of what is in the directory to work in.
  [[nodiscard]] std::vector<std::string> files() const;

  /// A program of two files, main.c and part.c, that prints which of its parts are "plain" and which "translated".
  void write_program() const;

  /// What the translator was last given, and whether it was run since the last time.
  nlohmann::json translator_log() const;
  [[nodiscard]] bool was_translated() const;
  /// Names of the sources in it.
  std::vector<std::string> translated_files() const;

  test::TemporaryDirectory directory_;
  const std::string installation_ = directory_.path() + "/installed here";
  const std::string work_ = directory_.path() + "/work here";

 private:
  Words settings_;
  bool portable_ = false;
};

}  // namespace cppc::driver
