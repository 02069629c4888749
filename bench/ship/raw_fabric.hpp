/// Reference: the bare bytes through libfabric, written into an advertised buffer that is there, as many pieces at a
/// time as ours. No checksums.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "connection.hpp"
#include "fabric.hpp"
#include "state.hpp"
#include "way.hpp"

namespace cppc::bench {

/// What both ends have: an endpoint, and the state registered with it.
class FabricEnd {
 public:
  /// `provider` as libfabric spells it in full.
  static Result<FabricEnd> open(const std::string& provider, std::span<std::byte> memory);

  /// What the other end needs to write into the memory: pass it to reach().
  [[nodiscard]] Result<std::string> invitation() const;
  Result<void> reach(const std::string& invitation);
  /// All of the memory, so many bytes at a time.
  Result<void> write_all(std::size_t chunk_bytes);
  /// Lets the provider work.
  Result<void> poll();

 private:
  static constexpr std::size_t in_flight = fabric::Tuning{}.in_flight;
  using Contexts = std::array<fi_context2, in_flight>;
  struct Close {
    template <class Object>
    void operator()(Object* object) const {
      fi_close(&object->fid);
    }
  };
  struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
  };
  template <class Object>
  using Owned = std::unique_ptr<Object, Close>;

  Result<void> choose(const std::string& provider);
  Result<void> open_endpoint();
  Result<void> register_memory();
  Result<bool> write(std::uint64_t offset, std::size_t bytes, fi_context2& context);

  std::span<std::byte> memory_;
  std::unique_ptr<Contexts> contexts_;  // libfabric's, while a write is under way
  std::vector<fi_context2*> free_;      // of these
  std::unique_ptr<fi_info, FreeInfo> info_;
  Owned<fid_fabric> fabric_;  // closed last
  Owned<fid_domain> domain_;
  Owned<fid_av> addresses_;
  Owned<fid_cq> completions_;
  Owned<fid_mr> region_;
  Owned<fid_ep> endpoint_;  // closed first, and with it what is bound to it
  std::string reached_;
  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  std::uint64_t remote_ = 0, key_ = 0;
};

class RawFabricSource : public Source {
 public:
  RawFabricSource(State& state, Connection& control, std::size_t chunk_bytes)
      : state_(state), control_(control), chunk_bytes_(chunk_bytes) {}
  Result<void> prepare(const std::string& message) override;
  Result<Moved> move() override;

 private:
  State& state_;
  Connection& control_;
  std::size_t chunk_bytes_;
  std::unique_ptr<FabricEnd> end_;
};

class RawFabricTarget : public Target {
 public:
  RawFabricTarget(State& state, Connection& control, std::string provider)
      : state_(state), control_(control), provider_(std::move(provider)) {}
  Result<std::string> prepare() override;
  Result<void> receive() override;

 private:
  State& state_;
  Connection& control_;
  std::string provider_;
  std::unique_ptr<FabricEnd> end_;
};

}  // namespace cppc::bench
