// cppc-image and the HDF5 tools on images that were written to disk.
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "samples.hpp"

namespace cppc::image {
namespace {

using namespace samples;

struct Result {
  int status = -1;
  std::string output;  // stdout
};

/// Runs a shell command.
Result run(const std::string& command) {
  Result result;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  while (const auto size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.output.append(buffer.data(), size);
  }
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

/// A directory of its own for every test.
class CppcImage : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (std::filesystem::temp_directory_path() / "cppc-image-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string write(const Bytes& bytes) {
    const auto path = directory_ / "image.h5";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path.string();
  }

  /// What `cppc-image ARGUMENTS FILE` says on stdout and stderr.
  Result tool(const std::string& arguments, const std::string& file) {
    return run(CPPC_IMAGE " " + arguments + " '" + file + "' 2>&1");
  }

 private:
  std::filesystem::path directory_;
};

TEST_F(CppcImage, ListsObjects) {
  const auto listed = tool("ls", write(varied_file()));
  EXPECT_EQ(listed.status, 0);
  EXPECT_PRED2(matches, listed.output, "PATH +TYPE +COUNT +BYTES +STORED +ADDRESS\n");
  EXPECT_PRED2(matches, listed.output, "global/numbers +int +3 +12 +12 +-\n");
  EXPECT_PRED2(matches, listed.output, "heap/1 +particle +2 +96 +96 +-\n");
  EXPECT_PRED2(matches, listed.output, "heap/sparse +double +2048 +16384 +408\\+ +-\n");
  EXPECT_PRED2(matches, listed.output, "heap/dead +double +5 +40 +dead +-\n");
  EXPECT_PRED2(contains, listed.output, "6 objects, 528 bytes stored\n");
}

/// As of a program whose state is kept by address: pieces of bytes, of each kind, small ones and large ones.
Bytes file_with_addresses() {
  static const std::vector<std::uint8_t> small(100, 1), large(1 << 20, 2);
  const std::vector<Part> holes{{4096, 500000}};
  std::vector<Object> objects{object("runtime/runtime", raw, small), object("global/program/4c0f40", raw, small),
                              object("stack/20800ffff2f8", raw, small), object("heap/210000030000", raw, large),
                              object("mapping/220000000000", raw, large)};
  objects[0].in_head = true;
  objects[1].address = 0x4c0f40;
  objects[2].address = 0x20800ffff2f8;
  objects[3].address = 0x210000030000;
  objects[3].holes = holes;
  objects[4].address = 0x220000000000;
  return file_of(objects);
}

TEST_F(CppcImage, ListsAddresses) {
  const auto listed = tool("ls", write(file_with_addresses()));
  EXPECT_EQ(listed.status, 0);
  EXPECT_PRED2(matches, listed.output, "runtime/runtime +byte +100 +100 +100 +-\n");
  EXPECT_PRED2(matches, listed.output, "global/program/4c0f40 +byte +100 +100 +100 +0x4c0f40\n");
  EXPECT_PRED2(matches, listed.output, "stack/20800ffff2f8 +byte +100 +100 +100 +0x20800ffff2f8\n");
  EXPECT_PRED2(matches, listed.output, "heap/210000030000 +byte +1048576 +1048576 +548576\\+ +0x210000030000\n");
  EXPECT_PRED2(matches, listed.output, "mapping/220000000000 +byte +1048576 +1048576 +1048576 +0x220000000000\n");
}

TEST_F(CppcImage, AddressesAreReadByH5dump) {
  const auto file = write(file_with_addresses());
  const auto own = run(H5DUMP " -a /objects/heap/210000030000/address '" + file + "' 2>&1");
  EXPECT_EQ(own.status, 0) << own.output;
  EXPECT_PRED2(contains, own.output, "(0): " + std::to_string(0x210000030000));
  const auto index = run(H5DUMP " -d /index/objects '" + file + "' 2>&1");
  EXPECT_EQ(index.status, 0);
  EXPECT_PRED2(contains, index.output, std::to_string(0x20800ffff2f8));
}

TEST_F(CppcImage, DumpsValues) {
  const auto file = write(varied_file());
  const auto dumped = tool("dump", file);
  EXPECT_EQ(dumped.status, 0);
  EXPECT_PRED2(contains, dumped.output, "global/numbers: int[3]\n  [0] 1 -2 3\n");
  EXPECT_PRED2(contains, dumped.output,
               "heap/1: particle[2]\n"
               "  [0] {id: 7, position: [1.5, -2.5, 0], link: {next: @12, tag: 120}}\n"
               "  *\n");
  EXPECT_PRED2(contains, dumped.output,
               "heap/sparse: double[2048] 408 bytes of 16384; the others are dead and shown as 0\n"
               "  [0] 1 0 0 0 0 0 0 0\n  [8] 0 0 0 0 0 0 0 0\n  *\n"
               "  [1800] 2 0 0 0 0 0 0 0\n  [1808] 0 0 0 0 0 0 0 0\n  *\n");
  EXPECT_PRED2(contains, dumped.output, "heap/dead: double[5] dead\n");
}

TEST_F(CppcImage, DumpsOneObject) {
  const auto file = write(varied_file());
  const auto dumped = tool("dump --path global/numbers", file);
  EXPECT_EQ(dumped.status, 0);
  EXPECT_EQ(dumped.output, "global/numbers: int[3]\n  [0] 1 -2 3\n");
  const auto missing = tool("dump --path global/other", file);
  EXPECT_EQ(missing.status, 1);
  EXPECT_PRED2(contains, missing.output, "there is no object global/other");
}

TEST_F(CppcImage, DumpsOtherKinds) {
  const std::vector<std::uint8_t> bytes = {0, 17, 255};
  const std::vector<float> complexes = {1, -2.5F};
  const Bytes odd(24, std::byte{0xab});
  const auto file =
      write(file_of({object("a/bytes", raw, bytes),
                     object("a/hidden\x1b", uint8, bytes),
                     {"a/complex", scalar(Class::complex, 8, "complex"), 1, std::as_bytes(std::span(complexes))},
                     {"a/odd", scalar(Class::signed_integer, 24, "int192"), 1, odd}}));
  const auto dumped = tool("dump", file);
  EXPECT_EQ(dumped.status, 0);
  EXPECT_EQ(dumped.output,
            "a/bytes: byte[3]\n  [0] 00 11 ff\n"
            "a/hidden\\x1b: char[3]\n  [0] 0 17 255\n"
            "a/complex: complex[1]\n  [0] (1, -2.5)\n"
            "a/odd: int192[1]\n  [0] abababababababababababababababababababababababab\n");
}

TEST_F(CppcImage, DumpsElementsLargerThanItsBuffer) {
  std::vector<double> values(3000, 1.0);
  const auto large = std::make_shared<const Type>(Type{Class::structure, 12000, "large", {{"v", 0, 1500, float64}}});
  const auto blob = scalar(Class::bytes, 12000, "blob");
  const auto bytes = std::as_bytes(std::span(values));
  const auto dumped = tool("dump", write(file_of({{"a/large", large, 2, bytes}, {"a/blob", blob, 2, bytes}})));
  EXPECT_EQ(dumped.status, 0);
  std::string element = "{v: [1";
  std::string hexadecimal = "000000000000f03f";
  for (int i = 1; i < 1500; ++i) {
    element += ", 1";
    hexadecimal += "000000000000f03f";
  }
  EXPECT_EQ(dumped.output, "a/large: large[2]\n  [0] " + element + "]}\n  [1] " + element + "]}\n" +
                               "a/blob: blob[2]\n  [0] " + hexadecimal + " " + hexadecimal + "\n");
}

TEST_F(CppcImage, VerifiesGoodImages) {
  const auto verified = tool("verify", write(varied_file()));
  EXPECT_EQ(verified.status, 0);
  EXPECT_PRED2(contains, verified.output, "good: 6 objects");
}

TEST_F(CppcImage, FindsDamage) {
  auto file = varied_file();
  file[file.size() / 2] ^= std::byte{1};
  const auto damaged = write(file);
  for (const std::string command : {"verify", "ls", "dump"}) {
    const auto result = tool(command, damaged);
    EXPECT_EQ(result.status, 1) << command;
    EXPECT_PRED2(contains, result.output, damaged + ": image: its checksum is wrong") << command;
  }
  file.resize(file.size() / 2);
  EXPECT_EQ(tool("verify", write(file)).status, 1);
  EXPECT_EQ(tool("verify", write({})).status, 1);
}

TEST_F(CppcImage, SaysWhatItCannotRead) {
  const auto missing = tool("verify", "/nonexistent/image.h5");
  EXPECT_EQ(missing.status, 1);
  EXPECT_PRED2(contains, missing.output, "/nonexistent/image.h5: cannot open: No such file");
  EXPECT_EQ(tool("verify", "/").status, 1);
  const auto directory = tool("ls", "/");
  EXPECT_EQ(directory.status, 1);
  EXPECT_PRED2(contains, directory.output, "/: it is a directory: only cppc-image verify takes one");
  const auto unknown = tool("foo", "/");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_PRED2(contains, unknown.output, "cppc-image: there is no command foo; there are ls, dump and verify");
}

TEST_F(CppcImage, SaysWhenOutputIsLost) {
  const auto file = write(varied_file());
  EXPECT_EQ(run(CPPC_IMAGE " ls '" + file + "' 2>&1 >/dev/full").status, 1);
}

TEST_F(CppcImage, HelpsAndRefusesWrongUsage) {
  const auto help = run(CPPC_IMAGE " --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_PRED2(contains, help.output, "Examples:");
  for (const std::string wrong : {"", "ls", "list image.h5", "ls --path a/b image.h5", "ls one.h5 two.h5"}) {
    EXPECT_EQ(run(CPPC_IMAGE " " + wrong + " >/dev/null 2>&1").status, 2) << wrong;
  }
}

TEST_F(CppcImage, ImagesAreReadByH5dump) {
  const auto file = write(varied_file());
  EXPECT_EQ(run(H5DUMP " '" + file + "' 2>&1").status, 0);
  const auto packed = run(H5DUMP " -d /packed/int '" + file + "' 2>&1");
  EXPECT_EQ(packed.status, 0);
  EXPECT_PRED2(contains, packed.output, "(0): 1, -2, 3");
  const auto structures = run(H5DUMP " -d /packed/particle '" + file + "' 2>&1");
  EXPECT_PRED2(contains, structures.output, "DATATYPE  \"/types/particle\"");
  EXPECT_PRED2(contains, structures.output, "[ 1.5, -2.5, 0 ]");
  const auto index = run(H5DUMP " -d /index/objects '" + file + "' 2>&1");
  EXPECT_PRED2(contains, index.output, "\"heap/sparse\",");
  EXPECT_EQ(run(H5LS " -r '" + file + "/packed' 2>&1").status, 0);
}

}  // namespace
}  // namespace cppc::image
