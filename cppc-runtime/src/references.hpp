/// The stored form of references: numbers that mean the same in every process of the program.
///
/// A pointer is 0 for null, or, from the highest bit to the lowest, the number of the object it points into plus one
/// (28 bits, counted in the order of capture), a position in it (34 bits), and what that is (2 bits): a leaf; a leaf,
/// behind which it points; a byte, where no leaf begins or ends; or outside_form, for what lies outside of all objects.
/// A function is the number of its name plus one, times four, or of outside_form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "inventory.hpp"
#include "outside.hpp"
#include "translation.hpp"

namespace cppc {

/// Of one capture.
class ReferenceEncoder {
 public:
  ReferenceEncoder(std::span<const Object> objects, const AddressIndex& index, std::span<const cppc_function> functions,
                   OutsideEncoder& outside);

  /// Puts the stored form of all references of `object` into `copy`, which has the layout that it has in an image.
  /// CPPC_ERR_UNSUPPORTED, logged with the path of the reference, when one cannot be carried over.
  cppc_status encode(const Object& object, std::byte* copy) const;

  /// Whether `object`, a variable or heap block of bytes or of integers with room for an address, may be carried over
  /// as it is: not when something in it looks like a pointer to a heap block. CPPC_ERR_UNSUPPORTED, logged. Of
  /// structures nothing is said: what a program copies from a local variable has members that nobody has set.
  [[nodiscard]] cppc_status check_numbers(const Object& object) const;

 private:
  using Stored = tl::expected<std::uint64_t, std::string>;
  [[nodiscard]] Stored encode(const Object& holder, cppc_kind kind, const std::byte* field) const;
  [[nodiscard]] Stored encode_pointer(const Object& holder, const void* pointer) const;
  [[nodiscard]] Stored encode_function(void (*function)()) const;

  std::span<const Object> objects_;
  const AddressIndex& index_;
  std::unordered_map<void (*)(), std::uint64_t> functions_;
  OutsideEncoder& outside_;
  std::uintptr_t heap_begin_;  ///< of all heap blocks
  std::uintptr_t heap_end_;
};

/// A pointer to an object that is not in memory yet.
struct LateReference {
  std::byte* field;
  std::uint64_t stored;
};

/// Of one restore.
class ReferenceDecoder {
 public:
  /// `objects`: of the image, with the addresses of those in memory by now; looked at in every call. `functions`: by
  /// number, null for a name that this program does not have.
  ReferenceDecoder(std::span<const Object> objects, std::span<void (*const)()> functions, const OutsideDecoder& outside)
      : objects_(objects), functions_(functions), outside_(outside) {}

  /// Replaces the stored forms in `data`, the contents of `object`, by references. Pointers to objects not in memory
  /// yet become null and are appended to `late`, as fields of the object at its address. CPPC_ERR_IMAGE, logged with
  /// the path of the reference, for a number without meaning.
  cppc_status decode(const Object& object, std::byte* data, std::vector<LateReference>& late) const;

  /// The same for an image with another layout: `stored` are the contents as they are there, `data` gets those for
  /// here.
  cppc_status translate(const Object& object, const std::byte* stored, std::byte* data, const Translation& translation,
                        std::vector<LateReference>& late) const;

  /// Sets those pointers, once every object is in memory.
  void decode(std::span<const LateReference> late) const;

 private:
  using Result = tl::expected<void, std::string>;
  Result decode(const Object& holder, cppc_kind kind, std::uint64_t stored, std::byte* data, std::uint64_t offset,
                std::vector<LateReference>& late) const;
  [[nodiscard]] tl::expected<void*, std::string> target_of(std::uint64_t stored) const;
  [[nodiscard]] tl::expected<void (*)(), std::string> function_of(std::uint64_t stored) const;

  std::span<const Object> objects_;
  std::span<void (*const)()> functions_;
  const OutsideDecoder& outside_;
};

}  // namespace cppc
