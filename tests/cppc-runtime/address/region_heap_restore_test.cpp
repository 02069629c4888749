/// The heap in another process: this program starts itself again, with the bytes in a file.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "address/region_heap.hpp"
#include "address/roots.hpp"
#include "heap_for_tests.hpp"

namespace cppc::address {
namespace {

/// Every block of the list that a root leads to is filled with the low byte of its size.
struct Link {
  Link* next;
  std::size_t bytes;  ///< behind it
};

void add(Link*& list, std::size_t bytes) {
  auto* link = static_cast<Link*>(RegionHeap::allocate(sizeof(Link) + bytes));
  ASSERT_NE(link, nullptr);
  *link = {list, bytes};
  std::memset(link + 1, static_cast<int>(bytes & 0xff), bytes);
  list = link;
}

void add_many(Link*& list) {
  for (std::size_t bytes = 1; bytes < 1'000'000; bytes += bytes / 20 + 1) {
    add(list, bytes);
    // Leaves holes of all sizes.
    Link* hole = nullptr;
    add(hole, bytes * 2);
    add(list, bytes / 2);
    RegionHeap::release(hole);
  }
}

void check(Link*& list) {
  while (list != nullptr) {
    const auto* first = reinterpret_cast<const unsigned char*>(list + 1);
    for (std::size_t i = 0; i < list->bytes; ++i) ASSERT_EQ(first[i], list->bytes & 0xff);
    RegionHeap::release(std::exchange(list, list->next));
  }
}

Link*& list() { return reinterpret_cast<Link*&>(root(Root::capture)); }

void save(const std::string& name) {
  std::ofstream file(name, std::ios::binary);
  const std::size_t extent = RegionHeap::extent();
  file.write(reinterpret_cast<const char*>(&extent), sizeof extent);
  std::vector<std::span<std::byte>> parts;
  RegionHeap::visit_live([&](std::span<std::byte> part) { parts.push_back(part); });
  for (const std::span<std::byte> part : parts) {
    const std::array<std::size_t, 2> where = {reinterpret_cast<std::size_t>(part.data()), part.size()};
    file.write(reinterpret_cast<const char*>(where.data()), sizeof where);
    file.write(reinterpret_cast<const char*>(part.data()), static_cast<std::streamsize>(part.size()));
  }
  ASSERT_TRUE(file.good());
}

void restore(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  std::size_t extent = 0;
  file.read(reinterpret_cast<char*>(&extent), sizeof extent);
  ASSERT_TRUE(RegionHeap::reserve_for_restore(extent));
  EXPECT_EQ(RegionHeap::allocate(1), nullptr);
  std::array<std::size_t, 2> where{};
  while (file.read(reinterpret_cast<char*>(where.data()), sizeof where)) {
    file.read(reinterpret_cast<char*>(where[0]), static_cast<std::streamsize>(where[1]));
  }
  ASSERT_TRUE(RegionHeap::after_restore());
}

/// What is in the heap survives; then it goes on working until nothing is left.
void go_on() {
  const std::size_t before = RegionHeap::live_bytes();
  add_many(list());
  check(list());
  EXPECT_EQ(list(), nullptr);
  RegionHeap::visit_live([](std::span<std::byte>) {});
  EXPECT_LT(RegionHeap::live_bytes(), before / 4);
  std::thread([] { RegionHeap::release(RegionHeap::allocate(100)); }).join();
}

std::string image() { return testing::TempDir() + "/region_heap_" + std::to_string(getpid()); }

constexpr const char* kImage = "CPPC_TEST_HEAP_IMAGE";

TEST(RegionHeapRestore, GoesOnInAnotherProcess) {
  ASSERT_TRUE(test::heap_is_started());
  if (const char* name = std::getenv(kImage); name != nullptr) {
    // What the process had in its heap before is forgotten.
    std::memset(RegionHeap::allocate(10'000'000), 1, 10'000'000);
    restore(name);
    return go_on();
  }
  add_many(list());
  std::thread([] { add_many(list()); }).join();
  const std::string name = image();
  save(name);
  const pid_t child = fork();
  if (child == 0) {
    setenv(kImage, name.c_str(), 1);
    execl("/proc/self/exe", "test", "--gtest_filter=RegionHeapRestore.GoesOnInAnotherProcess", nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  unlink(name.c_str());
  go_on();
}

TEST(RegionHeapRestore, GoesOnWhereOtherThreadsWereLeftBehind) {
  ASSERT_TRUE(test::heap_is_started());
  add_many(list());
  const std::string name = image();
  std::thread([&] {
    RegionHeap::release(RegionHeap::allocate(100));
    save(name);  // this thread's cache is in use
  }).join();
  restore(name);
  unlink(name.c_str());
  go_on();
}

TEST(RegionHeapRestore, RefusesWhatIsNoHeap) {
  ASSERT_TRUE(test::heap_is_started());
  const std::string name = image();
  save(name);
  ASSERT_TRUE(RegionHeap::reserve_for_restore(RegionHeap::extent()));
  EXPECT_EQ(RegionHeap::after_restore().error(), CPPC_ERR_IMAGE);
  restore(name);
  unlink(name.c_str());
}

}  // namespace
}  // namespace cppc::address
