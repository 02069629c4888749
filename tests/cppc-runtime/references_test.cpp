/// The stored form of pointers means the same at other addresses, and no number leads out of the state.
#include "references.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <random>

#include "log.hpp"

namespace cppc {
namespace {

Object object(const char* name, const cppc_type* type, std::uint64_t count, void* address) {
  return {.section = CPPC_SECTION_GLOBAL,
          .name = name,
          .layout = &layout_of(type),
          .count = count,
          .address = static_cast<std::byte*>(address)};
}

int program_data = 1;

/// Two processes with the same objects at different addresses.
struct Objects {
  std::array<double, 4> numbers{};
  std::array<char, 6> text{};
  std::array<void*, 3> pointers{};
  std::array<Object, 3> all{object("numbers", &cppc_type_double, numbers.size(), numbers.data()),
                            object("text", &cppc_type_char, text.size(), text.data()),
                            object("pointers", &cppc_type_pointer, pointers.size(), pointers.data())};
};

class References : public testing::Test {
 protected:
  Objects here_, there_;

  /// What here_.pointers become there.
  cppc_status carry_over() {
    const auto index = AddressIndex::make(here_.all);
    std::array<std::byte, sizeof here_.pointers> stored;
    std::memcpy(stored.data(), here_.pointers.data(), stored.size());
    auto outside = OutsideEncoder::make(__builtin_frame_address(0));
    const ReferenceEncoder encoder(here_.all, *index, {}, *outside);
    if (const cppc_status status = encoder.encode(here_.all[2], stored.data()); status != CPPC_OK) return status;
    std::vector<LateReference> late;
    const auto outside_there = OutsideDecoder::make(outside->modules(), outside->words());
    const ReferenceDecoder decoder(there_.all, {}, *outside_there);
    const cppc_status status = decoder.decode(there_.all[2], stored.data(), late);
    std::memcpy(there_.pointers.data(), stored.data(), stored.size());
    return status;
  }
};

TEST_F(References, LeadToTheSameElements) {
  here_.pointers = {&here_.numbers[3], &here_.text[5], nullptr};
  ASSERT_EQ(carry_over(), CPPC_OK);
  EXPECT_EQ(there_.pointers[0], &there_.numbers[3]);
  EXPECT_EQ(there_.pointers[1], &there_.text[5]);
  EXPECT_EQ(there_.pointers[2], nullptr);
}

TEST_F(References, LeadToTheEndsOfObjectsAndToThemselves) {
  here_.pointers = {here_.text.data() + here_.text.size(), &here_.pointers[0], &here_.pointers[2]};
  ASSERT_EQ(carry_over(), CPPC_OK);
  EXPECT_EQ(there_.pointers[0], there_.text.data() + there_.text.size());
  EXPECT_EQ(there_.pointers[1], &there_.pointers[0]);
  EXPECT_EQ(there_.pointers[2], &there_.pointers[2]);
}

TEST_F(References, LeadToTheMiddleOfANumber) {
  here_.pointers = {reinterpret_cast<char*>(&here_.numbers[2]) + 3, nullptr, nullptr};
  ASSERT_EQ(carry_over(), CPPC_OK);
  EXPECT_EQ(there_.pointers[0], reinterpret_cast<char*>(&there_.numbers[2]) + 3);
}

TEST_F(References, LeadIntoTheProgramAndItsLibraries) {
  void* const literal = const_cast<char*>("a literal");
  here_.pointers = {literal, stdout, reinterpret_cast<void*>(&std::memcmp)};
  ASSERT_EQ(carry_over(), CPPC_OK);
  EXPECT_EQ(there_.pointers, here_.pointers) << "in the same process, which has them where they are";
}

TEST_F(References, NumbersInPointersStayUnchanged) {
  here_.pointers = {reinterpret_cast<void*>(1), reinterpret_cast<void*>(-1), reinterpret_cast<void*>(65535)};
  ASSERT_EQ(carry_over(), CPPC_OK);
  EXPECT_EQ(there_.pointers, here_.pointers);
}

TEST_F(References, WordsThatAreNoAddressesAreCarriedBitForBit) {
  void* unmapped = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(unmapped, 4096);
  here_.pointers = {reinterpret_cast<void*>(100000), reinterpret_cast<void*>(0xfedcba9876543210U), unmapped};
  ASSERT_EQ(carry_over(), CPPC_OK);
  EXPECT_EQ(there_.pointers, here_.pointers);
  EXPECT_FALSE(OutsideDecoder().decode(std::uint64_t{0xfffe} << 48 | outside_form)) << "an image without words";
}

void* address_in_a_frame_that_is_gone() {
  std::array<char, 4096> memory{};
  void* volatile address = memory.data();  // the compiler need not know
  return address;
}

TEST_F(References, DanglingReferencesAreCarriedAsInvalid) {
  void* freed = cppc_malloc(&cppc_type_int, 40);
  cppc_free(freed);
  here_.pointers = {freed, static_cast<char*>(freed) + 8, address_in_a_frame_that_is_gone()};
  ASSERT_EQ(carry_over(), CPPC_OK);
  for (void* pointer : there_.pointers) EXPECT_GT(reinterpret_cast<std::uintptr_t>(pointer), UINT64_MAX >> 1);
  here_.pointers = there_.pointers;
  ASSERT_EQ(carry_over(), CPPC_OK) << "in the next process as well";
  EXPECT_EQ(there_.pointers, here_.pointers);
}

TEST_F(References, ToMemoryOfALibraryAreRefused) {
  void* memory = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  here_.pointers[1] = memory;
  EXPECT_EQ(carry_over(), CPPC_ERR_UNSUPPORTED);
  munmap(memory, 4096);
}

TEST_F(References, ToAVariableThatIsNoObjectAreRefused) {
  int variable = 0;
  here_.pointers[1] = &variable;
  EXPECT_EQ(carry_over(), CPPC_ERR_UNSUPPORTED);
}

TEST_F(References, NeedTheSameModule) {
  auto modules = Modules::read();
  ModuleId program = modules.id(modules.find(&program_data)->module);
  EXPECT_EQ(program.name, "");
  EXPECT_TRUE(OutsideDecoder::make(std::span(&program, 1), {}));
  program.identity.back() = program.identity.back() == '0' ? '1' : '0';
  EXPECT_EQ(OutsideDecoder::make(std::span(&program, 1), {}).error(), CPPC_ERR_MISMATCH);
  const ModuleId missing{"libnowhere.so.1", program.identity};
  EXPECT_EQ(OutsideDecoder::make(std::span(&missing, 1), {}).error(), CPPC_ERR_MISMATCH);
}

TEST_F(References, StayInTheirModule) {
  auto outside = OutsideEncoder::make(__builtin_frame_address(0));
  const auto stored = outside->encode(&program_data);
  ASSERT_TRUE(stored);
  const auto there = OutsideDecoder::make(outside->modules(), {});
  EXPECT_EQ(there->decode(*stored), &program_data);
  EXPECT_FALSE(there->decode(*stored + (std::uint64_t{1} << 45)));
  EXPECT_FALSE(there->decode(*stored + (std::uint64_t{1} << 48))) << "another module";
}

TEST_F(References, ToObjectsNotInMemoryAreSetLater) {
  here_.pointers[1] = &here_.numbers[2];
  const auto index = AddressIndex::make(here_.all);
  std::array<void*, 3> stored = here_.pointers;
  auto* bytes = reinterpret_cast<std::byte*>(stored.data());
  auto outside = OutsideEncoder::make(__builtin_frame_address(0));
  ASSERT_EQ(ReferenceEncoder(here_.all, *index, {}, *outside).encode(here_.all[2], bytes), CPPC_OK);

  there_.all[0].section = CPPC_SECTION_FRAME;
  there_.all[0].address = nullptr;
  const OutsideDecoder nothing_outside;
  const ReferenceDecoder decoder(there_.all, {}, nothing_outside);
  std::vector<LateReference> late;
  ASSERT_EQ(decoder.decode(there_.all[2], bytes, late), CPPC_OK);
  there_.pointers = stored;
  EXPECT_EQ(there_.pointers[1], nullptr);
  ASSERT_EQ(late.size(), 1U);
  there_.all[0].address = reinterpret_cast<std::byte*>(there_.numbers.data());
  decoder.decode(late);
  EXPECT_EQ(there_.pointers[1], &there_.numbers[2]);
}

TEST_F(References, RandomReferencesStayInTheState) {
  const OutsideDecoder nothing_outside;
  const ReferenceDecoder decoder(there_.all, {}, nothing_outside);
  log().silence(true);
  std::mt19937_64 random(1);
  int accepted = 0;
  for (int round = 0; round < 100000; ++round) {
    const std::uint64_t object = random() % 5;
    const std::uint64_t stored = round % 2 == 0 ? random() : object << 36 | random() % 16;
    std::array<std::uint64_t, 3> data{stored, 0, 0};
    std::vector<LateReference> late;
    if (decoder.decode(there_.all[2], reinterpret_cast<std::byte*>(data.data()), late) != CPPC_OK) continue;
    ++accepted;
    const auto begin = reinterpret_cast<std::uint64_t>(&there_);
    const bool no_address = data[0] < 65536 || data[0] >> 47 != 0;
    EXPECT_TRUE(no_address || (data[0] >= begin && data[0] < begin + sizeof there_)) << stored;
  }
  log().silence(false);
  EXPECT_GT(accepted, 1000);
}

TEST(ObjectsInMemory, MayNotShareBytes) {
  std::array<double, 4> numbers{};
  const std::array<Object, 2> apart{object("a", &cppc_type_double, 2, numbers.data()),
                                    object("b", &cppc_type_double, 2, &numbers[2])};
  const auto index = AddressIndex::make(apart);
  ASSERT_TRUE(index);
  EXPECT_EQ(index->find(&numbers[2])->object, 1U) << "the object that begins there, not the one that ends";
  EXPECT_EQ(index->find(numbers.data() + 4)->object, 1U);
  EXPECT_EQ(index->find(nullptr), std::nullopt);
  const std::array<Object, 2> overlapping{object("a", &cppc_type_double, 3, numbers.data()),
                                          object("b", &cppc_type_double, 2, &numbers[2])};
  EXPECT_FALSE(AddressIndex::make(overlapping));
}

}  // namespace
}  // namespace cppc
