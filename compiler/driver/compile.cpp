#include "compile.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "mpi_flags.hpp"
#include "object_file.hpp"
#include "record.hpp"

namespace cppc::driver {
namespace {

namespace fs = std::filesystem;

Result<void> keep_command(Record record) {
  const ObjectFacts facts = read_object_file(record.output);
  record.defines_main = facts.defines_main;
  std::error_code unknown;
  const auto written = fs::last_write_time(record.output, unknown);
  if (!unknown) record.compiled = written.time_since_epoch().count();
  const auto added = add_commands(record.output, to_text(record));
  if (added && *added == Added::yes) return {};
  if (!added) {
    std::error_code ignored;  // make shall not take an object without its command for a good one
    fs::remove(record.output, ignored);
    return tl::unexpected(added.error());
  }
  std::error_code failure;
  if (fs::is_regular_file(record.output, failure) && !record.language.ends_with("-header")) {
    std::fprintf(stderr,
                 "cppc-cc: %s is no 64-bit ELF object (perhaps clang's -flto or -m32), so it cannot say how it was "
                 "compiled: a program with it may be linked untranslated\n",
                 record.output.c_str());
  }
  return {};
}

// gcc's objects for link-time optimization have to be ordinary ones as well, for a look at what a program consists of.
bool needs_ordinary_code_too(const CommandLine& line, const std::vector<std::string>& compiler) {
  return line.link_time_optimization && !is_clang(compiler);
}

}  // namespace

std::vector<std::string> compiler_for(const CommandLine& line, const Wrapper& wrapper) {
  std::vector<std::string> words = wrapper.compiler;
  if (!line.portable && line.mode != Mode::partial) words.emplace_back("-fno-pie");
  // The profile of a file with safe points is for its second compilation.
  if (has_option(line.words, {"-fprofile-use"}) && !is_clang(words)) words.emplace_back("-Wno-missing-profile");
  const std::vector<std::string> definitions = definitions_for_mpi(line, wrapper);
  words.insert(words.end(), definitions.begin(), definitions.end());
  return words;
}

Result<int> compile(const CommandLine& line, const Wrapper& wrapper, Runner& runner) {
  const std::vector<std::string> compiler = compiler_for(line, wrapper);
  const auto flags = mpi_compile_flags(line, wrapper, runner);
  if (!flags) return tl::unexpected(flags.error());
  std::vector<std::string> words = compiler;
  words.insert(words.end(), line.words.begin(), line.words.end());
  words.insert(words.end(), flags->begin(), flags->end());
  if (needs_ordinary_code_too(line, compiler)) words.emplace_back("-ffat-lto-objects");
  auto status = runner.run({words});
  if (!status || *status != 0) return status;
  for (Record& record : records_of(line, wrapper.language, compiler, *flags)) {
    if (const auto kept = keep_command(std::move(record)); !kept) return tl::unexpected(kept.error());
  }
  return 0;
}

}  // namespace cppc::driver
