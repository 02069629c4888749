#include "cppc/numbers.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "failure.hpp"
#include "hdf5.hpp"

namespace cppc::image {

namespace {

// At most so many at a time, in a buffer that has room for either form.
constexpr std::uint64_t numbers_at_a_time = 16384;

/// Where HDF5 has the parts of a floating-point number, in bits from the lowest one.
struct FloatFields {
  std::uint32_t significand;  ///< as Numbers has it
  std::size_t precision, exponent_at, exponent_bits, mantissa_bits, bias;
  H5T_norm_t leading_bit;
};

constexpr FloatFields formats[] = {{24, 32, 23, 8, 23, 127, H5T_NORM_IMPLIED},
                                   {53, 64, 52, 11, 52, 1023, H5T_NORM_IMPLIED},
                                   {64, 80, 64, 15, 64, 16383, H5T_NORM_NONE},
                                   {113, 128, 112, 15, 112, 16383, H5T_NORM_IMPLIED}};

Hid owned(hid_t type) { return {type, &H5Tclose}; }

Hid float_type(const Numbers& form) {
  const auto* const fields = std::ranges::find(formats, form.significand, &FloatFields::significand);
  if (fields == std::end(formats) || form.size * 8 < fields->precision) return {};
  Hid type = owned(H5Tcopy(H5T_IEEE_F64LE));
  const auto& [significand, precision, exponent_at, exponent_bits, mantissa_bits, bias, leading_bit] = *fields;
  // A small type grows before its fields move, a large one shrinks after.
  const bool set = (form.size < 8 || H5Tset_size(type.get(), form.size) >= 0) &&
                   (precision < 64 || H5Tset_precision(type.get(), precision) >= 0) &&
                   H5Tset_fields(type.get(), precision - 1, exponent_at, exponent_bits, 0, mantissa_bits) >= 0 &&
                   H5Tset_precision(type.get(), precision) >= 0 && H5Tset_size(type.get(), form.size) >= 0 &&
                   H5Tset_ebias(type.get(), bias) >= 0 && H5Tset_norm(type.get(), leading_bit) >= 0 &&
                   H5Tset_order(type.get(), form.big_endian ? H5T_ORDER_BE : H5T_ORDER_LE) >= 0;
  return set ? std::move(type) : Hid();
}

Hid integer_type(const Numbers& form) {
  Hid type = owned(H5Tcopy(form.cls == Class::signed_integer ? H5T_STD_I64LE : H5T_STD_U64LE));
  const bool set = H5Tset_size(type.get(), form.size) >= 0 &&
                   H5Tset_order(type.get(), form.big_endian ? H5T_ORDER_BE : H5T_ORDER_LE) >= 0;
  return set ? std::move(type) : Hid();
}

Hid type_of(const Numbers& form) {
  if (form.size == 0) return {};
  if (form.cls == Class::floating) return float_type(form);
  const bool integer = form.cls == Class::signed_integer || form.cls == Class::unsigned_integer;
  return integer ? integer_type(form) : Hid();
}

H5T_conv_ret_t refuse_what_does_not_fit(H5T_conv_except_t what, hid_t, hid_t, void*, void*, void*) {
  const bool fits = what != H5T_CONV_EXCEPT_RANGE_HI && what != H5T_CONV_EXCEPT_RANGE_LOW;
  return fits ? H5T_CONV_UNHANDLED : H5T_CONV_ABORT;
}

class Converter {
 public:
  static tl::expected<Converter, cppc_status> between(const Numbers& from, const Numbers& to) {
    Converter made;
    made.from_ = type_of(from);
    made.to_ = type_of(to);
    made.transfer_ = Hid(H5Pcreate(H5P_DATASET_XFER), &H5Pclose);
    const bool good = made.from_.valid() && made.to_.valid() && made.transfer_.valid() &&
                      H5Pset_type_conv_cb(made.transfer_.get(), refuse_what_does_not_fit, nullptr) >= 0;
    if (!good) return failure(CPPC_ERR_ARGUMENT, "image: no numbers have {} bytes, or {}", from.size, to.size);
    made.from_size_ = from.size;
    made.to_size_ = to.size;
    return made;
  }

  /// Whether all of them fit; else `to` is not to be used.
  bool convert(const std::byte* from, std::byte* to, std::uint64_t count) {
    buffer_.resize(count * std::max(from_size_, to_size_));
    std::memcpy(buffer_.data(), from, count * from_size_);
    if (H5Tconvert(from_.get(), to_.get(), count, buffer_.data(), nullptr, transfer_.get()) < 0) return false;
    std::memcpy(to, buffer_.data(), count * to_size_);
    return true;
  }

 private:
  Hid from_, to_, transfer_;
  std::size_t from_size_ = 0, to_size_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace

tl::expected<std::uint64_t, cppc_status> convert(const Numbers& source_form, std::span<const std::byte> source,
                                                 const Numbers& form, std::span<std::byte> destination,
                                                 std::uint64_t count) {
  return contained("image", [&]() -> tl::expected<std::uint64_t, cppc_status> {
    const QuietHdf5 quiet;
    if (source.size() != count * source_form.size || destination.size() != count * form.size)
      return failure(CPPC_ERR_ARGUMENT, "image: {} numbers do not have {} bytes", count, source.size());
    auto converter = Converter::between(source_form, form);
    if (!converter) return tl::make_unexpected(converter.error());
    std::uint64_t done = 0;
    const auto convert_next = [&](std::uint64_t next) {
      return converter->convert(source.data() + done * source_form.size, destination.data() + done * form.size, next);
    };
    while (done < count) {
      const std::uint64_t next = std::min(numbers_at_a_time, count - done);
      if (!convert_next(next)) break;
      done += next;
    }
    while (done < count && convert_next(1)) ++done;  // up to the one that does not fit
    return done;
  });
}

}  // namespace cppc::image
