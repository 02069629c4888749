// Writes the images that the fuzzer starts from into a folder: seeds FOLDER
#include <filesystem>
#include <fstream>

#include "../samples.hpp"

using namespace cppc::image;
using namespace cppc::image::samples;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto write = [&](const char* name, const Bytes& file) {
    std::ofstream(std::filesystem::path(argv[1]) / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  };
  const std::vector<double> numbers(40, 1.5);
  write("varied", varied_file());
  write("empty", file_of(std::vector<Object>{}));
  write("dead", file_of({{"heap/1", float64, 1000, {}}, {"heap/2", particle, 0, {}}}));
  write("small", file_of({object("global/a", float64, numbers), object("heap/1", particle, particles(3))}));
  return 0;
}
