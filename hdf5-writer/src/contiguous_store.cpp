#include <cstring>

#include "arena.hpp"
#include "store.hpp"

namespace cppc::image {

namespace {

constexpr std::size_t growth_bytes = std::size_t{1} << 20;

// HDF5's core driver takes its memory through these callbacks.
void* allocate(std::size_t bytes, H5FD_file_image_op_t, void* arena) {
  auto* memory = static_cast<Arena*>(arena);
  return memory->grow(bytes) ? memory->bytes().data() : nullptr;
}
void* reallocate(void*, std::size_t bytes, H5FD_file_image_op_t operation, void* arena) {
  return allocate(bytes, operation, arena);
}
herr_t release(void*, H5FD_file_image_op_t, void*) { return 0; }  // the arena outlives the HDF5 file
void* copy(void* to, const void* from, std::size_t bytes, H5FD_file_image_op_t, void*) {
  return std::memcpy(to, from, bytes);
}
void* same(void* arena) { return arena; }
herr_t keep(void*) { return 0; }

class ContiguousStore final : public Store {
 public:
  explicit ContiguousStore(Arena memory) : memory_(std::move(memory)) {}

  Hid access() override {
    Hid access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose);
    H5FD_file_image_callbacks_t callbacks = {allocate, copy, reallocate, release, same, keep, &memory_};
    const bool set = H5Pset_fapl_core(access.get(), growth_bytes, false) >= 0 &&
                     H5Pset_file_image_callbacks(access.get(), &callbacks) >= 0;
    return set ? std::move(access) : Hid();
  }

  void put(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!bytes.empty()) std::memcpy(memory_.bytes().data() + offset, bytes.data(), bytes.size());
  }

  void add_contents(std::uint64_t offset, std::span<const std::byte> bytes) override {
    put(offset, bytes);
    if (contents_.empty() || contents_.back().offset + contents_.back().bytes.size() != offset)
      contents_.push_back({offset, memory_.bytes().subspan(offset, 0)});
    Extent& last = contents_.back();
    last.bytes = memory_.bytes().subspan(last.offset, last.bytes.size() + bytes.size());
  }

  std::vector<std::span<std::byte>> gather(std::span<const Range> ranges) override {
    std::vector<std::span<std::byte>> gathered;
    for (const auto& [offset, bytes] : ranges) gathered.push_back(memory_.bytes().subspan(offset, bytes));
    return gathered;
  }

  [[nodiscard]] std::span<const Extent> contents() const override { return contents_; }

 private:
  Arena memory_;
  std::vector<Extent> contents_;
};

}  // namespace

tl::expected<std::unique_ptr<Store>, cppc_status> contiguous_store() {
  return Arena::allocate(growth_bytes).map([](Arena&& memory) -> std::unique_ptr<Store> {
    return std::make_unique<ContiguousStore>(std::move(memory));
  });
}

}  // namespace cppc::image
