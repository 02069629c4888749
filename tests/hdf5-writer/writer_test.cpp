#include <hdf5.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <cstddef>
#include <limits>
#include <numeric>
#include <thread>

#include "layout.hpp"
#include "samples.hpp"
#include "scattered_memory.hpp"

namespace cppc::image {
namespace {

using namespace samples;

/// Adds one object to a new image.
cppc_status status_of(const Object& object) {
  auto writer = Writer::create();
  const auto added = writer->add(object);
  return added ? CPPC_OK : added.error();
}

TypePointer structure(std::size_t size, std::vector<Member> members) {
  return std::make_shared<const Type>(Type{Class::structure, size, "structure", std::move(members)});
}

const std::vector<double> some = {1, 2, 3};

TEST(Writer, RefusesWrongPaths) {
  for (const std::string path : {"", "name", "/name", "section/", "/"}) {
    EXPECT_EQ(status_of(object(path, float64, some)), CPPC_ERR_ARGUMENT) << path;
  }
  EXPECT_EQ(status_of(object("a/" + std::string(1, '\0'), float64, some)), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(status_of(object("a/" + std::string(name_limit - 2, 'x'), float64, some)), CPPC_OK);
  EXPECT_EQ(status_of(object("a/" + std::string(name_limit - 1, 'x'), float64, some)), CPPC_ERR_ARGUMENT);
}

/// In a process of its own, which cannot get memory again.
[[noreturn]] void create_without_memory() {
  const rlimit none{};
  if (setrlimit(RLIMIT_DATA, &none) != 0) _exit(2);
  const auto writer = Writer::create();
  _exit(!writer && writer.error() == CPPC_ERR_MEMORY ? 0 : 1);
}

TEST(Writer, RefusesToStartWithoutMemory) { EXPECT_EXIT(create_without_memory(), testing::ExitedWithCode(0), ""); }

TEST(Writer, RefusesAPathTwice) {
  auto writer = Writer::create();
  ASSERT_TRUE(writer->add(object("heap/1", float64, some)));
  EXPECT_EQ(writer->add(object("heap/1", int32, std::vector<std::int32_t>{1})).error(), CPPC_ERR_ARGUMENT);
  EXPECT_TRUE(writer->add(object("heap/2", float64, some)));
}

TEST(Writer, RefusesSizesThatDoNotAgree) {
  auto wrong = object("heap/1", float64, some);
  wrong.count = 2;
  EXPECT_EQ(status_of(wrong), CPPC_ERR_ARGUMENT);
  wrong.count = 0;
  EXPECT_EQ(status_of(wrong), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(status_of({"heap/1", float64, std::numeric_limits<std::uint64_t>::max(), {}}), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(status_of({"heap/1", float64, std::uint64_t{1} << 61, {}}), CPPC_ERR_ARGUMENT);
}

TEST(Writer, RefusesTypesThatMakeNoSense) {
  const auto with = [](TypePointer type) { return status_of({"heap/1", std::move(type), 0, {}}); };
  EXPECT_EQ(with(nullptr), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(with(scalar(Class::bytes, 0, "nothing")), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(with(scalar(Class::bytes, 1, std::string(name_limit + 1, 'x'))), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(with(scalar(Class::bytes, type_size_limit + 1, "huge")), CPPC_ERR_UNSUPPORTED);
  EXPECT_EQ(with(std::make_shared<const Type>(Type{Class::floating, 8, "double", {{"part", 0, 1, int32}}})),
            CPPC_ERR_ARGUMENT);
  EXPECT_EQ(with(structure(8, {{"member", 0, 1, nullptr}})), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(with(structure(8, {{"outside", 4, 1, float64}})), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(with(structure(8, {{"outside", 0, std::size_t{1} << 61, float64}})), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(with(structure(8, {{"left", 0, 1, float64}, {"overlaps", 4, 1, int32}})), CPPC_ERR_ARGUMENT);
  EXPECT_EQ(with(structure(8, {{"behind", 4, 1, int32}, {"before", 0, 1, int32}})), CPPC_OK);
}

TEST(Writer, RefusesTypesNestedTooDeep) {
  auto type = int32;
  for (std::size_t depth = 1; depth < depth_limit; ++depth) {
    type = structure(4, {{"inner", 0, 1, type}});
  }
  EXPECT_EQ(status_of({"heap/1", type, 0, {}}), CPPC_OK);
  EXPECT_EQ(status_of({"heap/1", structure(4, {{"inner", 0, 1, type}}), 0, {}}), CPPC_ERR_UNSUPPORTED);

  const auto cyclic = std::make_shared<Type>(Type{Class::structure, 4, "cyclic", {}});
  cyclic->members.push_back({"itself", 0, 1, cyclic});
  EXPECT_EQ(status_of({"heap/1", cyclic, 0, {}}), CPPC_ERR_UNSUPPORTED);
  cyclic->members.clear();
}

TEST(Writer, DepthCountsThroughTypesThatAreKnown) {
  auto writer = Writer::create();
  auto type = int32;
  for (std::size_t depth = 1; depth < depth_limit; ++depth) {
    type = structure(4, {{"inner", 0, 1, type}});
  }
  ASSERT_TRUE(writer->add({"heap/1", type, 0, {}}));
  EXPECT_EQ(writer->add({"heap/2", structure(4, {{"inner", 0, 1, type}}), 0, {}}).error(), CPPC_ERR_UNSUPPORTED);
}

TEST(Writer, TakesLargeObjects) {
  const std::vector<double> large(std::size_t{2} << 20, 1.0);
  const auto file = file_of({object("heap/1", float64, large)});
  const auto reader = Reader::open(file);
  ASSERT_TRUE(reader);
  std::vector<double> contents(large.size());
  ASSERT_TRUE(reader->read(reader->entries()[0], std::as_writable_bytes(std::span(contents))));
  EXPECT_TRUE(contents == large);
}

TEST(Image, CountsItsBytes) {
  std::vector<double> sparse(4096, 0.0);
  sparse[0] = 1;
  const auto image =
      build({object("heap/1", float64, sparse), {"heap/dead", float64, 100, {}}, object("heap/2", float64, some)});
  EXPECT_EQ(image.state_bytes(), 4096 * 8 + 3 * 8u);
}

TEST(Image, IsTheSameForTheSameState) {
  const auto file = varied_file();
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5's clock counts seconds
  EXPECT_TRUE(file == varied_file());
}

TEST(Image, RefersToContentsAndCopiesNone) {
  const std::vector<double> large(large_object_bytes, 1.0);
  const auto image = build({object("heap/1", float64, large), object("heap/2", float64, some)});
  ASSERT_EQ(image.contents().size(), 2u);
  std::vector<const void*> addresses;
  for (const auto& extent : image.contents()) addresses.push_back(extent.bytes.data());
  EXPECT_EQ(std::ranges::count(addresses, static_cast<const void*>(large.data())), 1);
  EXPECT_EQ(std::ranges::count(addresses, static_cast<const void*>(some.data())), 1);
}

TEST(Image, IsTheSameWhoeverStoresIt) {
  const std::vector<double> large(large_object_bytes / 4, 1.0);
  const auto some_particles = particles(7);
  std::vector<Object> objects{object("heap/large", float64, large), {"heap/dead", float64, 5, {}}};
  for (int i = 0; i < 3000; ++i) {
    objects.push_back(object("heap/" + std::to_string(i), i % 2 == 0 ? particle : link_type, some_particles));
    objects.back().count = i % 2 == 0 ? 7 : 14;
    objects.back().data = objects.back().data.first(objects.back().count * objects.back().type->size);
  }
  objects.back().in_head = true;
  EXPECT_TRUE(file_of(build(objects)) == file_of(build(objects, Storage::contiguous)));
}

TEST(Image, MovesWithWhatItOwns) {
  auto image = build({object("heap/1", float64, some)});
  const auto file = file_of(image);
  const Image moved = std::move(image);
  EXPECT_EQ(file_of(moved), file);
}

// ---- What HDF5 makes of an image

/// An image opened by HDF5.
class Hdf5View {
 public:
  explicit Hdf5View(Bytes file) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 20, false);
    H5Pset_file_image(access, file.data(), file.size());
    file_ = H5Fopen("/dev/null/view", H5F_ACC_RDONLY, access);
    H5Pclose(access);
    EXPECT_GE(file_, 0);
  }
  explicit Hdf5View(ScatteredMemory& memory)
      : file_(H5Fopen("/dev/null/view", H5F_ACC_RDONLY, scattered_access(memory).get())) {
    EXPECT_GE(file_, 0);
  }
  Hdf5View(const Hdf5View&) = delete;
  Hdf5View& operator=(const Hdf5View&) = delete;
  ~Hdf5View() { H5Fclose(file_); }

  template <class T>
  std::vector<T> read(const std::string& path, hid_t memory_type) const {
    const hid_t dataset = H5Dopen2(file_, path.c_str(), H5P_DEFAULT);
    EXPECT_GE(dataset, 0) << path;
    const hid_t space = H5Dget_space(dataset);
    std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << path;
    H5Sclose(space);
    H5Dclose(dataset);
    return values;
  }
  [[nodiscard]] hsize_t links(const std::string& group) const {
    H5G_info_t info{};
    EXPECT_GE(H5Gget_info_by_name(file_, group.c_str(), &info, H5P_DEFAULT), 0) << group;
    return info.nlinks;
  }

 private:
  hid_t file_;
};

TEST(Hdf5, ReadsPackedObjects) {
  const std::vector<std::int32_t> one = {1};
  const std::vector<std::int32_t> two = {2, 3};
  const Hdf5View view(
      file_of({object("global/a", int32, one), object("global/b", float64, some), object("global/c", int32, two)}));
  EXPECT_EQ(view.read<std::int64_t>("/packed/int", H5T_NATIVE_INT64), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(view.read<double>("/packed/double", H5T_NATIVE_DOUBLE), some);
}

TEST(Hdf5, ReadsFromScatteredMemory) {
  std::vector<double> large(large_object_bytes / 8);
  std::iota(large.begin(), large.end(), 1.0);
  const auto image = build({object("heap/large", float64, large), object("heap/small", float64, some)});
  ScatteredMemory memory;
  for (const auto& extent : image.extents()) memory.refer(extent);
  const Hdf5View view(memory);
  EXPECT_EQ(view.read<double>("/objects/heap/large", H5T_NATIVE_DOUBLE), large);
  EXPECT_EQ(view.read<float>("/packed/double", H5T_NATIVE_FLOAT), (std::vector<float>{1, 2, 3}));  // converted
}

TEST(ScatteredMemory, IsNotWrittenWhereItIsOfOthers) {
  const std::vector<std::byte> bytes(100, std::byte{7});
  ScatteredMemory memory;
  memory.refer({1000, bytes});
  EXPECT_TRUE(memory.write(900, bytes));
  EXPECT_FALSE(memory.write(901, bytes));
  EXPECT_FALSE(memory.write(1099, bytes));
  EXPECT_TRUE(memory.write(1100, bytes));
  std::vector<std::byte> read(400, std::byte{1});
  memory.read(850, read);
  EXPECT_EQ(std::ranges::count(read, std::byte{7}), 300);
  EXPECT_EQ(std::ranges::count(read, std::byte{0}), 100);
}

TEST(Hdf5, ReadsLargeObjectsByName) {
  std::vector<double> large(large_object_bytes / 8);
  std::iota(large.begin(), large.end(), 1.0);
  const Hdf5View view(file_of({object("global/src/solver.c:grid", float64, large)}));
  EXPECT_EQ(view.read<double>("/objects/global/src%2Fsolver.c:grid", H5T_NATIVE_DOUBLE), large);
}

TEST(Hdf5, ReadsEveryKindOfNumber) {
  const std::vector<std::int8_t> bytes = {-1, 127};
  const std::vector<std::uint16_t> shorts = {65535};
  const std::vector<float> floats = {0.5F};
  const std::vector<long double> long_doubles = {1.0L / 3};
  const std::vector<std::complex<double>> complexes = {{1, -2}};
  const std::vector<std::uint64_t> references = {std::uint64_t{1} << 63};
  const Hdf5View view(
      file_of({object("g/1", scalar(Class::signed_integer, 1, "signed char"), bytes),
               object("g/2", scalar(Class::unsigned_integer, 2, "unsigned short"), shorts),
               object("g/3", scalar(Class::floating, 4, "float"), floats),
               object("g/4", scalar(Class::floating, sizeof(long double), "long double"), long_doubles),
               object("g/5", scalar(Class::complex, 16, "complex"), complexes), object("g/6", pointer, references)}));
  EXPECT_EQ(view.read<int>("/packed/signed char", H5T_NATIVE_INT), (std::vector<int>{-1, 127}));
  EXPECT_EQ(view.read<int>("/packed/unsigned short", H5T_NATIVE_INT), std::vector<int>{65535});
  EXPECT_EQ(view.read<double>("/packed/float", H5T_NATIVE_DOUBLE), std::vector<double>{0.5});
  EXPECT_EQ(view.read<long double>("/packed/long double", H5T_NATIVE_LDOUBLE), long_doubles);
  EXPECT_EQ(view.read<std::uint64_t>("/packed/pointer", H5T_NATIVE_UINT64), references);
  const hid_t imaginary = H5Tcreate(H5T_COMPOUND, sizeof(double));
  H5Tinsert(imaginary, "i", 0, H5T_NATIVE_DOUBLE);
  EXPECT_EQ(view.read<double>("/packed/complex", imaginary), std::vector<double>{-2});
  H5Tclose(imaginary);
}

TEST(Hdf5, ReadsFieldsOfStructures) {
  const auto three = particles(3);
  const Hdf5View view(file_of({object("heap/1", particle, three)}));
  const hid_t id = H5Tcreate(H5T_COMPOUND, sizeof(int));
  H5Tinsert(id, "id", 0, H5T_NATIVE_INT);
  EXPECT_EQ(view.read<int>("/packed/particle", id), (std::vector<int>{7, 7, 7}));
  H5Tclose(id);
  EXPECT_EQ(view.links("/types"), 1u);
}

TEST(Hdf5, SeesTheIndexInOrder) {
  struct Row {
    char name[8];
    std::uint64_t count;
    std::uint64_t dead;
  };
  const Hdf5View view(file_of({object("z/first", float64, some), {"a/dead", int32, 9, {}}}));
  const hid_t row = H5Tcreate(H5T_COMPOUND, sizeof(Row));
  const hid_t name = H5Tcopy(H5T_C_S1);
  H5Tset_size(name, sizeof(Row::name));
  H5Tset_cset(name, H5T_CSET_UTF8);
  H5Tinsert(row, "name", offsetof(Row, name), name);
  H5Tinsert(row, "count", offsetof(Row, count), H5T_NATIVE_UINT64);
  const auto rows = view.read<Row>("/index/objects", row);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_STREQ(rows[0].name, "z/first");
  EXPECT_EQ(rows[0].count, 3u);
  EXPECT_STREQ(rows[1].name, "a/dead");
  EXPECT_EQ(rows[1].count, 9u);
  H5Tclose(name);
  H5Tclose(row);
}

TEST(Hdf5, HasOneDatasetForManySmallObjects) {
  const std::vector<double> values(10000, 1.0);
  std::vector<Object> objects;
  for (std::size_t i = 0; i < values.size(); ++i) {
    objects.push_back({"heap/" + std::to_string(i), float64, 1, std::as_bytes(std::span(values).subspan(i, 1))});
  }
  const Hdf5View view(file_of(objects));
  EXPECT_EQ(view.links("/packed"), 1u);
  EXPECT_EQ(view.links("/"), 2u);  // index and packed
  EXPECT_EQ(view.read<double>("/packed/double", H5T_NATIVE_DOUBLE), values);
}

/// HDF5's open identifiers that images could have to do with.
std::vector<hsize_t> open_identifiers() {
  std::vector<hsize_t> numbers;
  for (const auto kind : {H5I_FILE, H5I_GROUP, H5I_DATATYPE, H5I_DATASPACE, H5I_DATASET, H5I_GENPROP_LST}) {
    hsize_t number = 0;
    H5Inmembers(kind, &number);
    numbers.push_back(number);
  }
  return numbers;
}

TEST(Hdf5, IsLeftAsItWas) {
  const auto report = [](hid_t, void*) -> herr_t { return 0; };
  int data = 0;
  H5E_auto2_t function = nullptr;
  void* its_data = nullptr;
  ASSERT_GE(H5Eset_auto2(H5E_DEFAULT, report, &data), 0);
  varied_file();  // HDF5 keeps some identifiers from its first use on
  const auto before = open_identifiers();

  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  varied_file();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");

  H5Eget_auto2(H5E_DEFAULT, &function, &its_data);
  EXPECT_EQ(function, static_cast<H5E_auto2_t>(report));
  EXPECT_EQ(its_data, &data);
  EXPECT_EQ(open_identifiers(), before);
}

}  // namespace
}  // namespace cppc::image
