#include "wrapper_test.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace cppc::driver {

namespace fs = std::filesystem;
using test::Finished;
using test::Process;

WrapperTest::WrapperTest() {
  const std::string bin = installed("bin");
  const std::string libraries = bin + "/" CPPC_LIBRARIES_FROM_PROGRAMS;
  const std::string headers = bin + "/" CPPC_HEADERS_FROM_PROGRAMS;
  for (const std::string& one : {bin, libraries, headers + "/cppc", work_, directory_.path() + "/temporary"})
    fs::create_directories(one);
  fs::copy_file(CPPC_CC_PROGRAM, bin + "/cppc-cc");
  for (const char* name : {"cppc-c++", "cppc-cxx", "cppc-fc", "cppc-gcc-ar", "cppc-gcc-nm", "cppc-gcc-ranlib"})
    fs::create_symlink("cppc-cc", bin + "/" + name);
  fs::copy_file(FAKE_TRANSLATOR, bin + "/cppc");
  fs::copy_file(FAKE_LIBCPPC, libraries + "/libcppc.so");
  fs::create_symlink("libcppc.so", libraries + "/libcppc.so.1");
  fs::create_directory(headers + "/cppc/cxx");
  fs::copy_file(CPPC_MPI_HEADER, headers + "/cppc/cxx/mpi.h");
  std::ofstream(headers + "/cppc/cppc.h") << "/* the test's */\n";
  set("PATH", bin + ":" + std::getenv("PATH"));
  set("TMPDIR", directory_.path() + "/temporary");
  set("FAKE_LOG", directory_.path() + "/log");
  set("LC_ALL", "C");
}

WrapperTest::~WrapperTest() { EXPECT_TRUE(fs::is_empty(directory_.path() + "/temporary")); }

Process WrapperTest::start(const Words& command) const {
  // env(1) replaces variables; two of a name would be understood differently by different programs.
  Words words{"env", "-u",      "MAKEFLAGS", "-u",           "CPPC_CC", "-u", "CPPC_CXX",
              "-u",  "CPPC_FC", "-u",        "CPPC_VERBOSE", "-C",      work_};
  words.insert(words.end(), settings_.begin(), settings_.end());
  for (const std::string& word : command) {
    words.push_back(word);
    if (portable_ && word == "cppc-cc") words.emplace_back("--portable");
  }
  return Process(words);
}

Finished WrapperTest::run(const Words& command) const { return start(command).wait(); }

std::string WrapperTest::well(const Words& command) const {
  const Finished finished = run(command);
  EXPECT_EQ(finished.status, 0) << finished.errors;
  EXPECT_EQ(finished.errors, "");
  return finished.output;
}

void WrapperTest::fails(const Words& command, int status, const std::string& message) const {
  const Finished finished = run(command);
  EXPECT_EQ(finished.status, status);
  EXPECT_NE(finished.errors.find(message), std::string::npos) << finished.errors;
}

void WrapperTest::write(const std::string& name, const std::string& content) const {
  fs::create_directories(fs::path(path(name)).parent_path());
  std::ofstream(path(name)) << content;
}

std::string WrapperTest::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool WrapperTest::exists(const std::string& name) const { return fs::exists(path(name)); }

std::vector<std::string> WrapperTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(work_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void WrapperTest::write_program() const {
  write("part.h", "const char *part(void);\n");
  write("part.c", "#include \"part.h\"\nconst char *part(void) { return \"plain\"; }\n");
  write("main.c", R"(#include <mpi.h>
#include <stdio.h>
#include "part.h"
int main(int argc, char **argv) {
  if (argc > 1) MPI_Init(&argc, &argv);
  printf("main %s in %s, part %s\n", "plain", __FILE__, part());
  return 0;
}
)");
}

nlohmann::json WrapperTest::translator_log() const {
  std::ifstream file(directory_.path() + "/log");
  nlohmann::json log;
  if (file) file >> log;
  return log;
}

bool WrapperTest::was_translated() const { return fs::remove(directory_.path() + "/log"); }

std::vector<std::string> WrapperTest::translated_files() const {
  const nlohmann::json log = translator_log();
  std::vector<std::string> names;
  if (!log.is_null()) {
    for (const auto& entry : log.at("program")) names.push_back(entry.at("file"));
  }
  return names;
}

}  // namespace cppc::driver
