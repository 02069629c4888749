#include "address/load_addresses.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "address/outward_words.hpp"
#include "bytes.hpp"
#include "log.hpp"
#include "modules.hpp"

namespace cppc::address {

namespace {

std::string called(const std::string& name) { return name.empty() ? "the program" : "the library " + name; }

}  // namespace

std::vector<Library> libraries_of(std::span<const CarriedObject> objects) {
  const Modules modules = Modules::read();
  std::vector<Library> libraries;
  for (const CarriedObject& object : objects)
    libraries.push_back({object.name, modules.identity_at(object.base), object.base});
  return libraries;
}

cppc_status compare_load_addresses(std::span<const Library> there) {
  const auto here = libraries_here(there);
  if (!here) {
    log().error("{}", here.error());
    return CPPC_ERR_MISMATCH;
  }
  for (std::size_t i = 0; i < here->size(); ++i) {
    if ((*here)[i].base == there[i].base) continue;
    log().error(
        "{} is loaded at {:#x} in this process and at {:#x} where the rank was: the nodes need the same libraries "
        "and settings, and have to allow that ranks run without address space randomization",
        called(there[i].name), (*here)[i].base, there[i].base);
    return CPPC_ERR_MISMATCH;
  }
  return CPPC_OK;
}

std::uint64_t describe_objects(std::span<std::byte> room) noexcept try {
  auto objects = carried_objects();
  std::erase_if(objects, [](const CarriedObject& object) { return !object.at_start; });  // another has them later
  auto libraries = libraries_of(objects);
  for (;; libraries.pop_back()) {
    ByteWriter writer;
    write(writer, libraries);
    const auto bytes = writer.bytes();
    if (bytes.size() <= room.size()) {
      std::ranges::copy(bytes, room.begin());
      return bytes.size();
    }
    if (libraries.empty()) return 0;
  }
} catch (const std::bad_alloc&) {
  return 0;  // they are compared when the image comes
}

cppc_status compare_objects(std::span<const std::byte> described) {
  if (described.empty()) return CPPC_OK;  // nothing was told
  ByteReader reader(described);
  std::vector<Library> there;
  read(reader, there);
  if (!reader.at_end()) {
    log().error("{} bytes do not say where the libraries of the rank are loaded", described.size());
    return CPPC_ERR_ARGUMENT;
  }
  return compare_load_addresses(there);
}

}  // namespace cppc::address
