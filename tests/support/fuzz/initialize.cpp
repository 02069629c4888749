/// A fuzzer by libFuzzer, asked for the seeds: NAME --seeds FOLDER
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || std::string_view((*argv)[1]) != "--seeds") return 0;
  int number = 0;
  for (const auto& seed : cppc::fuzz::seeds()) {
    const auto path = std::filesystem::path((*argv)[2]) / ("seed-" + std::to_string(number++));
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
  }
  std::exit(EXIT_SUCCESS);
}
