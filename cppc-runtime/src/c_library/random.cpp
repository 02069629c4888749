#include "c_library/random.hpp"

#include <dlfcn.h>
#include <gnu/libc-version.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "address/process/owner.hpp"
#include "address/process/program_memory.hpp"
#include "address/program_time.hpp"
#include "log.hpp"

namespace cppc::c_library {

namespace {

// What random_r(3) and glibc's stdlib/random.c say of a state: its first word is the place in a table of numbers times
// `kinds` plus the kind, and the kind says how large the table is.
constexpr int kinds = 5;
constexpr std::array<std::size_t, kinds> bytes_of_kind{8, 32, 64, 128, 256};

std::int32_t first_word(const void* state) {
  std::int32_t word = 0;
  std::memcpy(&word, state, sizeof word);
  return word;
}

/// The state that random() uses in a replacement.
std::span<char> own_state() {
  alignas(std::int32_t) static std::array<char, bytes_of_kind.back()> state;
  return state;
}

/// Whether the C library made it, or apply().
bool is_default(const char* state) {
  Dl_info library{}, holder{};
  if (state == own_state().data()) return true;
  return dladdr(reinterpret_cast<const void*>(gnu_get_libc_version), &library) != 0 && dladdr(state, &holder) != 0 &&
         holder.dli_fbase == library.dli_fbase;
}

using Number48 = std::array<unsigned short, 3>;

std::uint64_t value_of(const Number48& number) {
  return number[0] | std::uint64_t{number[1]} << 16 | std::uint64_t{number[2]} << 32;
}

/// Whether it is carried as it is.
bool is_in_program(const char* state) {
  return address::kept_by_address() && address::owner_of(state) == address::Owner::program;
}

/// `x` * a + c, with the factor and the addend that drand48() uses.
std::uint64_t iterate(Number48 x) {
  nrand48(x.data());
  return value_of(x);
}

std::array<unsigned short, 7> drand48_state() {
  const std::uint64_t addend = iterate({0, 0, 0});
  const std::uint64_t factor = iterate({1, 0, 0}) - addend;
  Number48 other{};
  const unsigned short* const x = seed48(other.data());
  std::array<unsigned short, 7> state{x[0],
                                      x[1],
                                      x[2],
                                      static_cast<unsigned short>(factor),
                                      static_cast<unsigned short>(factor >> 16),
                                      static_cast<unsigned short>(factor >> 32),
                                      static_cast<unsigned short>(addend)};
  lcong48(state.data());
  return state;
}

bool sound(std::span<const std::byte> state) {
  if (state.size() < bytes_of_kind.front()) return false;
  const std::int32_t word = first_word(state.data());
  if (word < 0 || state.size() != bytes_of_kind[static_cast<std::size_t>(word % kinds)]) return false;
  const std::size_t numbers = state.size() / sizeof(std::int32_t) - 1;
  return static_cast<std::size_t>(word / kinds) < numbers;
}

}  // namespace

tl::expected<RandomState, cppc_status> RandomState::present() {
  // While random() works on another state, its own says in its first word where it is.
  alignas(std::int32_t) std::array<char, bytes_of_kind.front()> other{};
  char* const state = initstate(1, other.data(), other.size());
  const std::size_t bytes = bytes_of_kind[static_cast<std::size_t>(first_word(state) % kinds)];
  const auto copy = std::as_bytes(std::span(state, bytes));
  setstate(state);
  if (is_in_program(state))
    return RandomState{.random = {}, .memory = reinterpret_cast<std::uintptr_t>(state), .drand48 = drand48_state()};
  RandomState present{.random = {copy.begin(), copy.end()}, .memory = 0, .drand48 = drand48_state()};
  if (is_default(state)) return present;
  log().error(
      "the program has given random() memory of its own, by initstate() or setstate(), which cannot be carried "
      "over");
  return tl::unexpected(CPPC_ERR_UNSUPPORTED);
}

void RandomState::apply() const {
  alignas(std::int32_t) std::array<char, bytes_of_kind.front()> other{};
  if (memory != 0) {
    setstate(reinterpret_cast<char*>(static_cast<std::uintptr_t>(memory)));
  } else {
    initstate(1, other.data(), other.size());  // leaving a state writes to it
    std::memcpy(own_state().data(), random.data(), random.size());
    setstate(own_state().data());
  }
  auto parameters = drand48;
  lcong48(parameters.data());
}

void RandomState::write(ByteWriter& writer) const {
  writer.u64(random.size() / sizeof(std::uint32_t));
  for (std::size_t at = 0; at < random.size(); at += sizeof(std::uint32_t)) writer.i32(first_word(random.data() + at));
  writer.u64(memory);
  for (const unsigned short number : drand48) writer.u32(number);
}

RandomState RandomState::read(ByteReader& reader) {
  RandomState state{};
  state.random.resize(reader.count(sizeof(std::int32_t)) * sizeof(std::int32_t));
  for (std::size_t at = 0; at < state.random.size(); at += sizeof(std::int32_t)) {
    const std::int32_t word = reader.i32();
    std::memcpy(state.random.data() + at, &word, sizeof word);
  }
  state.memory = reader.u64();
  for (unsigned short& number : state.drand48) number = static_cast<unsigned short>(reader.u32());
  const auto* const memory = reinterpret_cast<const char*>(static_cast<std::uintptr_t>(state.memory));
  if (memory != nullptr ? !is_in_program(memory) : !sound(state.random)) reader.fail();
  return state;
}

void start_random_in_program() {
  alignas(std::int32_t) std::array<char, bytes_of_kind.front()> other{};
  char* state = initstate(1, other.data(), other.size());
  if (!is_in_program(state)) {  // a library's constructor may have called srand()
    const std::size_t bytes = bytes_of_kind[static_cast<std::size_t>(first_word(state) % kinds)];
    state = static_cast<char*>(std::memcpy(address::allocate_for_program(bytes), state, bytes));
  }
  setstate(state);
}

}  // namespace cppc::c_library
