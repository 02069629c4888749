#include <spdlog/spdlog.h>

#include <array>
#include <numeric>
#include <string_view>
#include <utility>

#include "cppc/cut_agent.hpp"

namespace cppc::negotiation {
namespace {

tl::expected<void, cppc_status> check(int code, std::string_view doing) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  spdlog::error("{} failed among the agents: {}", doing,
                std::string_view(text.data(), static_cast<std::size_t>(length)));
  return tl::unexpected(CPPC_ERR_MPI);
}

}  // namespace

AgentRounds::AgentRounds(MPI_Comm agents) : agents_(agents) {
  int agents_in_all = 0;
  PMPI_Comm_size(agents, &agents_in_all);
  sizes_.resize(static_cast<std::size_t>(agents_in_all));
  places_.resize(sizes_.size());
}

tl::expected<void, cppc_status> AgentRounds::begin(Words mine) {
  if (request_ != MPI_REQUEST_NULL) return tl::unexpected(CPPC_ERR_STATE);
  mine_ = std::move(mine);
  size_ = static_cast<int>(mine_.size());
  sizes_known_ = false;
  return check(PMPI_Iallgather(&size_, 1, MPI_INT, sizes_.data(), 1, MPI_INT, agents_, &request_), "MPI_Iallgather");
}

tl::expected<bool, cppc_status> AgentRounds::arrived() {
  int done = 0;
  if (auto tested = check(PMPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test"); !tested)
    return tl::unexpected(tested.error());
  return done != 0;
}

tl::expected<void, cppc_status> AgentRounds::exchange_words() {
  sizes_known_ = true;
  std::exclusive_scan(sizes_.begin(), sizes_.end(), places_.begin(), 0);
  all_.resize(static_cast<std::size_t>(places_.back() + sizes_.back()));
  return check(PMPI_Iallgatherv(mine_.data(), size_, MPI_UINT64_T, all_.data(), sizes_.data(), places_.data(),
                                MPI_UINT64_T, agents_, &request_),
               "MPI_Iallgatherv");
}

tl::expected<std::optional<std::vector<Rounds::Words>>, cppc_status> AgentRounds::poll() {
  auto here = arrived();
  if (here && *here && !sizes_known_) {
    if (auto begun = exchange_words(); !begun) return tl::unexpected(begun.error());
    here = arrived();
  }
  if (!here) return tl::unexpected(here.error());
  if (!*here) return std::nullopt;
  std::vector<Words> said;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const auto* first = all_.data() + places_[i];
    said.emplace_back(first, first + sizes_[i]);
  }
  return said;
}

}  // namespace cppc::negotiation
