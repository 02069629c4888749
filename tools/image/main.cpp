// cppc-image: shows and checks images that were written to files.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "cppc/image.hpp"
#include "mapped_file.hpp"
#include "print.hpp"
#include "verify.hpp"

namespace cppc::image {

namespace {

constexpr int exit_good = 0;
constexpr int exit_bad = 1;
constexpr int exit_usage = 2;

constexpr const char* examples = R"(Examples:
  cppc-image ls rank5.h5                          what is in the image
  cppc-image dump --path global/grid rank5.h5     the values of one object
  cppc-image verify rank5.h5 && echo unharmed     is every byte as it was written?
  cppc-image verify /scratch/heat                 likewise of all images of the newest checkpoint there
  h5dump -d /index/objects rank5.h5               an image is an HDF5 file, too

Exit status: 0 success, 1 the image is damaged or does not hold what was asked for, 2 wrong usage.)";

struct Arguments {
  std::string file;
  std::string path;
};

int dump(const Reader& reader, const std::string& path) {
  bool found = false;
  for (const auto& entry : reader.entries()) {
    if (!path.empty() && entry.path != path) {
      continue;
    }
    found = true;
    if (!print_values(reader, entry)) {
      return exit_bad;
    }
  }
  if (!found && !path.empty()) {
    spdlog::error("there is no object {}; cppc-image ls lists those that are there", path);
    return exit_bad;
  }
  return exit_good;
}

/// All images of a checkpoint, or of the newest one in the directory.
int verify_checkpoint(const std::string& path) {
  const auto checkpoint = checkpoint::find(path);
  if (!checkpoint) {
    spdlog::error("{}", checkpoint.error());
    return exit_bad;
  }
  const auto damaged = checkpoint::damage(*checkpoint);
  for (const std::string& sentence : damaged) spdlog::error("{}", sentence);
  if (!damaged.empty()) return exit_bad;
  std::uint64_t bytes = 0;
  for (const auto& image : checkpoint->manifest.images) bytes += image.bytes;
  fmt::print("{}: good: {} images of {}, {} bytes, made {} by job {}\n", checkpoint->directory.string(),
             checkpoint->manifest.images.size(), checkpoint->manifest.program, bytes, checkpoint->manifest.time,
             checkpoint->manifest.job);
  return exit_good;
}

/// Opening verifies, whatever the command.
int run(const std::string& command, const Arguments& arguments) {
  auto logger = spdlog::stderr_logger_st(arguments.file);
  logger->set_pattern("cppc-image: %n: %v");
  spdlog::set_default_logger(logger);
  std::error_code failure;
  if (command == "verify" && std::filesystem::is_directory(arguments.file, failure))
    return verify_checkpoint(arguments.file);
  const auto file = MappedFile::open(arguments.file);
  if (!file) {
    return exit_bad;
  }
  const auto reader = Reader::open(file->bytes());
  if (!reader) {
    return exit_bad;
  }
  if (command == "dump") {
    return dump(*reader, arguments.path);
  }
  if (command == "ls") {
    print_list(*reader);
  } else {
    fmt::print("{}: good: {} objects, {} bytes, {}\n", arguments.file, reader->entries().size(), file->bytes().size(),
               reader->sealed() ? "checksum and index are right" : "index is right, contents have no checksum");
  }
  return exit_good;
}

}  // namespace

}  // namespace cppc::image

int main(int argc, char** argv) {
  using namespace cppc::image;
  Arguments arguments;
  CLI::App app("Shows and checks images of ranks: HDF5 files with typed objects and a checksum.", "cppc-image");
  app.footer(examples);
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* about) {
    auto* command = app.add_subcommand(name, about);
    command->add_option("FILE", arguments.file, "An image; to verify, also a checkpoint")->required();
    command->footer(examples);
    return command;
  };
  app.set_version_flag("--version", "cppc-image " CPPC_VERSION);
  add("ls",
      "Lists the objects: path, type, elements, bytes, bytes stored (\"+\": the rest is dead, \"dead\": no contents)");
  add("dump", "Prints values; references as @number, bytes in hexadecimal, a line that repeats the one before as *")
      ->add_option("--path", arguments.path, "Only of this object");
  add("verify", "Checks the checksums and the index; of a directory: those of all images of a checkpoint");
  const auto is_named = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_named).empty()) {
    std::fprintf(stderr, "cppc-image: there is no command %s; there are ls, dump and verify\n", argv[1]);
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_good : exit_usage;
  }
  try {
    const int status = run(app.get_subcommands().front()->get_name(), arguments);
    if (std::fflush(stdout) == 0) {
      return status;
    }
    std::perror("cppc-image: stdout");
  } catch (const std::exception& error) {  // stdout is full, or there is no memory
    spdlog::error("{}", error.what());
  }
  return exit_bad;
}
