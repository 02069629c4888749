/// The malloc family as a program finds it.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "address/child_memory.hpp"
#include "address/program_time.hpp"
#include "address/region_heap.hpp"
#include "heap_for_tests.hpp"

namespace cppc::address {
namespace {

/// What a kept_by_address() process is in while main() runs.
class ProgramTime {
 public:
  ProgramTime() : before_(std::exchange(program_time, true)) {}
  ProgramTime(const ProgramTime&) = delete;
  ProgramTime& operator=(const ProgramTime&) = delete;
  ~ProgramTime() { program_time = before_; }

 private:
  const bool before_;
};

class MallocTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(test::heap_is_started()); }
};

// So that the compiler does not know what the calls do.
void* volatile kept = nullptr;
volatile std::size_t huge = SIZE_MAX / 2;

void* keep(void* block) {
  kept = block;
  return kept;
}

TEST_F(MallocTest, TimeDecidesWhereBlocksLie) {
  void* process = keep(malloc(100));
  EXPECT_FALSE(RegionHeap::owns(process));
  {
    const ProgramTime program;
    void* block = keep(malloc(100));
    EXPECT_TRUE(RegionHeap::owns(block));
    {
      const OutsideProgram outside;
      free(keep(malloc(100)));
      EXPECT_FALSE(RegionHeap::owns(kept));
    }
    auto* text = static_cast<char*>(keep(strdup("text")));
    EXPECT_TRUE(RegionHeap::owns(text));
    free(text);
    auto* made = new int[1000];
    EXPECT_TRUE(RegionHeap::owns(keep(made)));
    delete[] made;
    free(block);
  }
  free(process);
}

TEST_F(MallocTest, BlocksStayWhereTheyCameFrom) {
  void* process = keep(malloc(100));
  void* block = nullptr;
  {
    const ProgramTime program;
    block = keep(malloc(100));
    process = keep(realloc(process, 5000));
    EXPECT_FALSE(RegionHeap::owns(process));
    EXPECT_GE(malloc_usable_size(process), 5000U);
    free(process);
  }
  block = keep(realloc(block, 5000));
  EXPECT_TRUE(RegionHeap::owns(block));
  EXPECT_GE(malloc_usable_size(block), 5000U);
  free(block);
}

TEST_F(MallocTest, AllOfTheFamilyAnswersAsTheCLibraryDoes) {
  for (const bool program : {false, true}) {
    program_time = program;
    void* zeroed = keep(calloc(100, 10));
    const bool zeros = std::string(static_cast<char*>(zeroed), 1000) == std::string(1000, '\0');
    void* array = keep(reallocarray(nullptr, 100, 10));
    void* aligned = keep(aligned_alloc(256, 512));
    void* old = keep(memalign(4096, 10));
    void* page = keep(valloc(10));
    void* pages = keep(pvalloc(5000));
    void* posix = nullptr;
    const int given = posix_memalign(&posix, 1024, 10);
    const int odd = posix_memalign(&posix, 24, 10);
    const int small = posix_memalign(&posix, 4, 10);
    const int none = posix_memalign(&posix, 64, huge);
    errno = 0;
    const bool overflow = keep(calloc(huge, 4)) == nullptr && errno == ENOMEM;
    errno = 0;
    const bool array_overflow = keep(reallocarray(nullptr, huge, 4)) == nullptr && errno == ENOMEM;
    errno = 0;
    const bool too_large = keep(malloc(huge)) == nullptr && errno == ENOMEM;
    errno = 0;
    const bool unaligned = keep(memalign(SIZE_MAX, 1)) == nullptr && errno == EINVAL;
    void* empty = keep(malloc(0));
    void* other_empty = keep(malloc(0));
    const std::size_t room = malloc_usable_size(pages);
    const std::size_t nothing = malloc_usable_size(nullptr);
    program_time = false;

    for (void* block : {zeroed, array, aligned, old, page, pages, posix, empty, other_empty}) {
      EXPECT_NE(block, nullptr);
      EXPECT_EQ(RegionHeap::owns(block), program);
    }
    const auto at = [](void* block) { return reinterpret_cast<std::uintptr_t>(block); };
    EXPECT_TRUE(zeros && overflow && array_overflow && too_large && unaligned);
    EXPECT_EQ(given, 0);
    EXPECT_EQ(odd, EINVAL);
    EXPECT_EQ(small, EINVAL);
    EXPECT_EQ(none, ENOMEM);
    EXPECT_EQ(at(aligned) % 256 + at(old) % 4096 + at(page) % 4096 + at(pages) % 4096 + at(posix) % 1024, 0U);
    EXPECT_NE(empty, other_empty);
    EXPECT_GE(room, 8192U);
    EXPECT_EQ(nothing, 0U);
    for (void* block : {zeroed, array, aligned, old, page, pages, posix, empty, other_empty}) free(block);
    EXPECT_EQ(keep(realloc(keep(malloc(10)), 0)), nullptr);
  }
}

TEST_F(MallocTest, FreeLeavesErrnoAlone) {
  const ProgramTime program;
  void* block = keep(malloc(std::size_t{500} << 20));
  std::memset(block, 1, std::size_t{500} << 20);
  errno = 77;
  free(block);
  EXPECT_EQ(errno, 77);
}

TEST_F(MallocTest, AThreadThatDoesNotWorkForTheProgramMayFreeItsBlocks) {
  void* block = nullptr;
  {
    const ProgramTime program;
    block = keep(malloc(100));
  }
  std::thread([&] {
    free(block);
    free(keep(malloc(100)));
    EXPECT_FALSE(RegionHeap::owns(kept));
  }).join();
}

/// A child of a process with threads: any of them may have had the C library's locks.
TEST_F(MallocTest, AChildHasMemoryThatItsParentSees) {
  auto memory = ChildMemory::reserve(std::size_t{1} << 20);
  ASSERT_TRUE(memory);
  auto* const result = new (memory->bytes().data()) std::string_view;
  void* const of_parent = keep(malloc(100));
  const pid_t child = fork();
  if (child == 0) {
    memory->use(sizeof *result);
    free(of_parent);  // left alone
    auto* const text = static_cast<char*>(keep(malloc(10)));
    std::strcpy(text, "found");
    auto* const grown = static_cast<char*>(keep(realloc(text, 1000)));
    const auto* const zeros = static_cast<char*>(keep(calloc(10, 10)));
    void* const aligned = keep(memalign(256, 10));
    free(keep(malloc(1000)));
    const bool right = zeros[99] == 0 && reinterpret_cast<std::uintptr_t>(aligned) % 256 == 0 &&
                       keep(malloc(std::size_t{1} << 21)) == nullptr;
    if (right) *result = grown;
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*result, "found");
  free(of_parent);
}

}  // namespace
}  // namespace cppc::address
