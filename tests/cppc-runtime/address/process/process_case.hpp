/// A program of programs/, run in a directory of its own from beginning to end, and from process to process.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "process.hpp"

namespace cppc::test {

class ProcessCase : public testing::Test {
 protected:
  ProcessCase() {
    std::string name = (std::filesystem::temp_directory_path() / "cppc-process-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", {});
    path_ = name;
  }
  ~ProcessCase() override { std::filesystem::remove_all(path_); }

  /// `part`: of the program, as process_program knows it; `more`: for the shell that runs it.
  Finished run_part(const std::string& program, const std::string& directory, const std::string& part,
                    const std::string& more = "") {
    std::filesystem::create_directory(path_ / directory);
    std::string command = std::string(PROCESS_PROGRAM) + " " + program + " " + (path_ / directory).string();
    if (!part.empty()) command += " " + part + " " + (path_ / "image").string();
    if (part == "--stay") command.replace(command.find(part), part.size(), "--save").append(" --stay");
    // Standard input and output as mpirun has them: pipes.
    return run({"sh", "-c", "true | { " + command + more + "; echo \"exit: $?\" >&2; } | cat"});
  }

  [[nodiscard]] std::map<std::string, std::string> files(const std::string& directory) const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(path_ / directory)) {
      std::ifstream file(entry.path(), std::ios::binary);
      all[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
    }
    return all;
  }

  /// Output and files are those of a program that was left alone, wherever its end runs.
  void expect_same_anywhere(const std::string& program) {
    const Finished alone = run_part(program, "alone", "");
    ASSERT_TRUE(alone.errors.ends_with("exit: 0\n")) << alone.errors;
    const Finished stayed = run_part(program, "stay", "--stay");
    EXPECT_TRUE(stayed.errors.ends_with("exit: 0\n")) << stayed.errors;
    EXPECT_EQ(stayed.output, alone.output) << "saving changes nothing";
    EXPECT_EQ(files("stay"), files("alone")) << "saving changes nothing";
    const Finished left = run_part(program, "moved", "--save");
    ASSERT_EQ(left.errors, "status: 0\nexit: 0\n");
    const Finished passed = run_part(program, "moved", "--pass");
    ASSERT_EQ(passed.errors, "status: 0\nstatus: 0\nexit: 0\n");
    const Finished arrived = run_part(program, "moved", "--load");
    EXPECT_TRUE(arrived.errors.starts_with("status: 0\n")) << arrived.errors;
    EXPECT_TRUE(arrived.errors.ends_with("exit: 0\n")) << arrived.errors;
    EXPECT_EQ(left.output + passed.output + arrived.output, alone.output);
    EXPECT_EQ(files("moved"), files("alone"));
  }

  void expect_refused(const std::string& program, const std::string& reason) {
    const Finished saved = run_part(program, "saved", "--save");
    EXPECT_NE(saved.errors.find("status: 200"), std::string::npos) << saved.errors;
    EXPECT_NE(saved.errors.find(reason), std::string::npos) << "wanted: " << reason << "\ngot: " << saved.errors;
  }

  [[nodiscard]] std::filesystem::path directory() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace cppc::test
