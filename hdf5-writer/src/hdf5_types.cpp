#include "hdf5_types.hpp"

#include <string>
#include <unordered_set>

#include "layout.hpp"

namespace cppc::image {

namespace {

// An object header message of HDF5 holds 64 KiB less one; the margin is for what H5Tencode does not count.
constexpr std::size_t description_limit = 65000;

hid_t native_integer(std::size_t size, bool is_signed) {
  switch (size) {
    case 1:
      return is_signed ? H5T_NATIVE_INT8 : H5T_NATIVE_UINT8;
    case 2:
      return is_signed ? H5T_NATIVE_INT16 : H5T_NATIVE_UINT16;
    case 4:
      return is_signed ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
    case 8:
      return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
    default:
      return H5I_INVALID_HID;
  }
}

hid_t native_float(std::size_t size) {
  switch (size) {
    case sizeof(float):
      return H5T_NATIVE_FLOAT;
    case sizeof(double):
      return H5T_NATIVE_DOUBLE;
    case sizeof(long double):
      return H5T_NATIVE_LDOUBLE;
    default:
      return H5I_INVALID_HID;
  }
}

Hid owned(hid_t type) { return {type, &H5Tclose}; }

Hid opaque_type(const Type& type) {
  Hid opaque = owned(H5Tcreate(H5T_OPAQUE, type.size));
  const std::string tag = type.name.substr(0, H5T_OPAQUE_TAG_MAX - 1);
  if (opaque.valid() && H5Tset_tag(opaque.get(), tag.c_str()) < 0) {
    return {};
  }
  return opaque;
}

Hid complex_type(const Type& type) {
  const hid_t part = native_float(type.size / 2);
  if (part < 0 || type.size % 2 != 0) {
    return opaque_type(type);
  }
  Hid compound = owned(H5Tcreate(H5T_COMPOUND, type.size));
  if (H5Tinsert(compound.get(), "r", 0, part) < 0 || H5Tinsert(compound.get(), "i", type.size / 2, part) < 0) {
    return {};
  }
  return compound;
}

Hid build(const Type& type);

bool insert_member(const Hid& compound, const Member& member, const std::string& name) {
  Hid element = build(*member.type);
  if (member.count != 1 && element.valid()) {
    const hsize_t count = member.count;
    element = owned(H5Tarray_create2(element.get(), 1, &count));
  }
  return element.valid() && H5Tinsert(compound.get(), name.c_str(), member.offset, element.get()) >= 0;
}

bool describable(const Hid& type) {
  std::size_t bytes = 0;
  return H5Tencode(type.get(), nullptr, &bytes) >= 0 && bytes <= description_limit;
}

Hid structure_type(const Type& type) {
  Hid compound = owned(H5Tcreate(H5T_COMPOUND, type.size));
  std::unordered_set<std::string> names;
  for (const auto& member : type.members) {
    if (member.count > 0 && !insert_member(compound, member, unique_name(member.name, names))) {
      return {};
    }
  }
  return names.empty() || !describable(compound) ? opaque_type(type) : std::move(compound);
}

Hid build(const Type& type) {
  hid_t native = H5I_INVALID_HID;
  switch (type.cls) {
    case Class::signed_integer:
      native = native_integer(type.size, true);
      break;
    case Class::unsigned_integer:
    case Class::reference:
      native = native_integer(type.size, false);
      break;
    case Class::floating:
      native = native_float(type.size);
      break;
    case Class::complex:
      return complex_type(type);
    case Class::structure:
      return structure_type(type);
    case Class::bytes:
      break;
  }
  return native < 0 ? opaque_type(type) : owned(H5Tcopy(native));
}

Hid enumeration(std::span<const char* const> names) {
  Hid type = owned(H5Tenum_create(H5T_NATIVE_UINT64));
  for (std::uint64_t value = 0; value < names.size(); ++value) {
    if (H5Tenum_insert(type.get(), names[value], &value) < 0) {
      return {};
    }
  }
  return type;
}

Hid column_type(Column kind) {
  static constexpr const char* classes[] = {"bytes",   "signed_integer", "unsigned_integer", "floating",
                                            "complex", "reference",      "structure"};
  static constexpr const char* flags[] = {"no", "yes"};
  switch (kind) {
    case Column::type_class:
      return enumeration(classes);
    case Column::flag:
      return enumeration(flags);
    case Column::number:
      break;
  }
  return owned(H5Tcopy(H5T_NATIVE_UINT64));
}

Hid name_type(std::size_t bytes) {
  Hid text = owned(H5Tcopy(H5T_C_S1));
  const bool set = H5Tset_size(text.get(), bytes) >= 0 && H5Tset_strpad(text.get(), H5T_STR_NULLTERM) >= 0 &&
                   H5Tset_cset(text.get(), H5T_CSET_UTF8) >= 0;
  return set ? std::move(text) : Hid();
}

}  // namespace

tl::expected<Hid, cppc_status> hdf5_type(const Type& type) {
  Hid native = build(type);
  if (!native.valid()) {
    return hdf5_failure("describe type {}", type.name);
  }
  return native;
}

tl::expected<Hid, cppc_status> hdf5_row_type(std::span<const ColumnInfo> columns, std::size_t name_bytes) {
  Hid row = owned(H5Tcreate(H5T_COMPOUND, name_bytes + columns.size() * sizeof(std::uint64_t)));
  if (name_bytes > 0 && H5Tinsert(row.get(), "name", 0, name_type(name_bytes).get()) < 0) {
    return hdf5_failure("describe names of {} bytes", name_bytes);
  }
  std::size_t offset = name_bytes;
  for (const auto& column : columns) {
    if (H5Tinsert(row.get(), column.name, offset, column_type(column.kind).get()) < 0) {
      return hdf5_failure("describe column {}", column.name);
    }
    offset += sizeof(std::uint64_t);
  }
  return row;
}

}  // namespace cppc::image
