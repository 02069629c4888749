/// What an image of another architecture means here: its types are those of the same source as another compiler has
/// them, its numbers have other sizes and another order of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <vector>

#include "architecture.hpp"
#include "cppc/hooks.h"
#include "layout.hpp"

namespace cppc {

/// Gives numbers of another form that of this machine; cppc_hooks::convert.
using Convert = decltype(cppc_hooks::convert);

/// Of one image.
class Translation {
 public:
  Translation() = default;

  /// `convert` may be null: then only what is the same on both machines can be translated.
  Translation(Architecture writer, Convert convert) : writer_(std::move(writer)), convert_(convert) {}

  /// Whether anything has another form here than in the image.
  [[nodiscard]] bool needed() const { return foreign() || sizeof(void*) != sizeof(std::uint64_t); }

  /// Whether the image is of another architecture.
  [[nodiscard]] bool foreign() const { return writer_ != Architecture::here(); }
  [[nodiscard]] const Architecture& writer() const { return writer_; }

  /// The type of this program that the image's is here; null: it has none of that name with the same members.
  const Layout* own(const Layout& image);

  /// A reference in its stored form.
  [[nodiscard]] std::uint64_t reference(const std::byte* stored) const;

  /// `count` scalars of the image, no references, to those of this machine. The error says, for a message that goes on
  /// to name the object, what is wrong with that at `failed_at`.
  struct Refusal {
    std::string why;
    std::uint64_t failed_at;
  };
  tl::expected<void, Refusal> numbers(const Layout& image, const std::byte* from, const Layout& own, std::byte* to,
                                      std::uint64_t count) const;

 private:
  void collect_own();
  [[nodiscard]] cppc_numbers form_of(const cppc_type& type, const Architecture& architecture) const;

  Architecture writer_ = Architecture::here();
  Convert convert_ = nullptr;
  std::unordered_multimap<std::string_view, const cppc_type*> own_;  ///< by name
  std::unordered_map<const Layout*, const Layout*> found_;           ///< by that of the image
};

}  // namespace cppc
