/// What is measured: image and fabric as a migration uses them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fabric.hpp"
#include "state.hpp"
#include "way.hpp"

namespace cppc::bench {

/// The provider that a migration between these nodes would use.
Result<std::string> default_provider();

class OurSource : public Source {
 public:
  explicit OurSource(State& state) : state_(state) {}
  Result<void> prepare(const std::string& message) override;
  Result<Moved> move() override;

 private:
  State& state_;
  fabric::Offer offer_;
};

/// The offer is made before the clock starts, as in a migration, where the replacement waits for the source.
class OurTarget : public Target {
 public:
  OurTarget(State& state, std::string provider) : state_(state), provider_(std::move(provider)) {}
  Result<std::string> prepare() override;
  Result<void> receive() override;

 private:
  State& state_;
  std::string provider_;
  std::optional<fabric::Receiver> receiver_;
};

}  // namespace cppc::bench
