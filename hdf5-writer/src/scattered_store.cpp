#include "scattered_memory.hpp"
#include "store.hpp"

namespace cppc::image {

namespace {

class ScatteredStore final : public Store {
 public:
  Hid access() override { return scattered_access(memory_); }

  void put(std::uint64_t offset, std::span<const std::byte> bytes) override { memory_.write(offset, bytes); }

  void add_contents(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!bytes.empty()) memory_.refer({offset, bytes});
  }

  std::vector<std::span<std::byte>> gather(std::span<const Range> ranges) override {
    std::uint64_t bytes = 0;
    for (const Range& range : ranges) bytes += range.bytes;
    gathered_.resize(bytes);
    std::vector<std::span<std::byte>> all;
    auto rest = std::span(gathered_);
    for (const Range& range : ranges) {
      all.push_back(rest.first(range.bytes));
      memory_.read(range.offset, all.back());
      rest = rest.subspan(range.bytes);
    }
    return all;
  }

  [[nodiscard]] std::span<const Extent> contents() const override { return memory_.references(); }

 private:
  ScatteredMemory memory_;
  std::vector<std::byte> gathered_;
};

}  // namespace

tl::expected<std::unique_ptr<Store>, cppc_status> scattered_store() { return std::make_unique<ScatteredStore>(); }

}  // namespace cppc::image
