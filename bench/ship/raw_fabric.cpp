#include "raw_fabric.hpp"

#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

namespace cppc::bench {
namespace {

tl::unexpected<std::string> failed(const std::string& what, long rc) {
  return failure("libfabric cannot " + what + ": " + fi_strerror(static_cast<int>(-rc)));
}

/// Calls one of libfabric's fi_*(..., Object** result) and takes what it makes.
template <class Owner, class Open>
int make(Owner& owner, Open open) {
  typename Owner::pointer made = nullptr;
  const int rc = open(&made);
  if (rc == 0) owner.reset(made);
  return rc;
}

}  // namespace

// Asks for the same as the fabric that is compared with this.
Result<void> FabricEnd::choose(const std::string& provider) {
  const std::unique_ptr<fi_info, FreeInfo> hints(fi_allocinfo());
  if (!hints) return failure("no memory");
  hints->caps = FI_MSG | FI_TAGGED | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  hints->fabric_attr->prov_name = strdup(provider.c_str());
  fi_info* found = nullptr;
  const int rc = fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &found);
  if (rc != 0) return failed("open provider " + provider, rc);
  info_.reset(found);
  return {};
}

Result<void> FabricEnd::open_endpoint() {
  fi_av_attr addresses{};
  addresses.type = info_->domain_attr->av_type;
  fi_cq_attr completions{};
  completions.format = FI_CQ_FORMAT_CONTEXT;
  completions.wait_obj = FI_WAIT_NONE;
  const auto step = [](int& rc, const auto& next) {
    if (rc == 0) rc = next();
  };
  int rc = 0;
  step(rc, [&] { return make(fabric_, [&](auto** made) { return fi_fabric(info_->fabric_attr, made, nullptr); }); });
  step(rc, [&] {
    return make(domain_, [&](auto** made) { return fi_domain(fabric_.get(), info_.get(), made, nullptr); });
  });
  step(rc, [&] {
    return make(addresses_, [&](auto** made) { return fi_av_open(domain_.get(), &addresses, made, nullptr); });
  });
  step(rc, [&] {
    return make(completions_, [&](auto** made) { return fi_cq_open(domain_.get(), &completions, made, nullptr); });
  });
  step(rc, [&] {
    return make(endpoint_, [&](auto** made) { return fi_endpoint(domain_.get(), info_.get(), made, nullptr); });
  });
  step(rc, [&] { return fi_ep_bind(endpoint_.get(), &addresses_->fid, 0); });
  step(rc, [&] { return fi_ep_bind(endpoint_.get(), &completions_->fid, FI_TRANSMIT | FI_RECV); });
  step(rc, [&] { return fi_enable(endpoint_.get()); });
  if (rc != 0) return failed("open an endpoint", rc);
  return {};
}

Result<void> FabricEnd::register_memory() {
  int rc = make(region_, [&](auto** made) {
    return fi_mr_reg(domain_.get(), memory_.data(), memory_.size(), FI_WRITE | FI_REMOTE_WRITE, 0, 1, 0, made, nullptr);
  });
  if (rc == 0 && (info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
    rc = fi_mr_bind(region_.get(), &endpoint_->fid, 0);
    if (rc == 0) rc = fi_mr_enable(region_.get());
  }
  if (rc != 0) return failed("register memory", rc);
  return {};
}

Result<FabricEnd> FabricEnd::open(const std::string& provider, std::span<std::byte> memory) {
  FabricEnd end;
  end.memory_ = memory;
  end.contexts_ = std::make_unique<Contexts>();
  for (fi_context2& context : *end.contexts_) end.free_.push_back(&context);
  return end.choose(provider)
      .and_then([&] { return end.open_endpoint(); })
      .and_then([&] { return end.register_memory(); })
      .map([&] { return std::move(end); });
}

Result<std::string> FabricEnd::invitation() const {
  std::vector<std::uint8_t> address(256);
  std::size_t length = address.size();
  if (const int rc = fi_getname(&endpoint_->fid, address.data(), &length); rc != 0) return failed("name itself", rc);
  address.resize(length);
  const bool virtual_addresses = (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  return nlohmann::json{{"provider", info_->fabric_attr->prov_name},
                        {"address", address},
                        {"base", virtual_addresses ? reinterpret_cast<std::uintptr_t>(memory_.data()) : 0},
                        {"key", fi_mr_key(region_.get())}}
      .dump();
}

Result<void> FabricEnd::reach(const std::string& invitation) {
  if (invitation == reached_) return {};
  const auto parsed = nlohmann::json::parse(invitation);
  const auto address = parsed.at("address").get<std::vector<std::uint8_t>>();
  if (fi_av_insert(addresses_.get(), address.data(), 1, &peer_, 0, nullptr) != 1)
    return failure("libfabric does not take the other's address");
  remote_ = parsed.at("base");
  key_ = parsed.at("key");
  reached_ = invitation;
  return {};
}

Result<void> FabricEnd::poll() {
  std::array<fi_cq_entry, in_flight> entries{};
  const ssize_t count = fi_cq_read(completions_.get(), entries.data(), entries.size());
  if (count == -FI_EAGAIN) return {};
  if (count == -FI_EAVAIL) {
    fi_cq_err_entry entry{};
    fi_cq_readerr(completions_.get(), &entry, 0);
    return failed("move the bytes", -entry.err);
  }
  if (count < 0) return failed("read completions", count);
  for (const fi_cq_entry& entry : std::span(entries).first(static_cast<std::size_t>(count)))
    free_.push_back(static_cast<fi_context2*>(entry.op_context));
  return {};
}

Result<bool> FabricEnd::write(std::uint64_t offset, std::size_t bytes, fi_context2& context) {
  const iovec local{.iov_base = memory_.data() + offset, .iov_len = bytes};
  const fi_rma_iov remote{.addr = remote_ + offset, .len = bytes, .key = key_};
  void* descriptor = fi_mr_desc(region_.get());
  const fi_msg_rma message{.msg_iov = &local,
                           .desc = &descriptor,
                           .iov_count = 1,
                           .addr = peer_,
                           .rma_iov = &remote,
                           .rma_iov_count = 1,
                           .context = &context,
                           .data = 0};
  // Said with every write: "net" pays no attention to the flags that the endpoint was opened with.
  const ssize_t rc = fi_writemsg(endpoint_.get(), &message, FI_DELIVERY_COMPLETE);
  if (rc == -FI_EAGAIN) return false;
  if (rc != 0) return failed("write", rc);
  return true;
}

Result<void> FabricEnd::write_all(std::size_t chunk_bytes) {
  std::uint64_t posted = 0;
  while (posted < memory_.size() || free_.size() < in_flight) {
    if (posted < memory_.size() && !free_.empty()) {
      const std::size_t bytes = std::min<std::uint64_t>(chunk_bytes, memory_.size() - posted);
      const auto taken = write(posted, bytes, *free_.back());
      if (!taken) return tl::unexpected(taken.error());
      if (*taken) {
        free_.pop_back();
        posted += bytes;
        continue;
      }
    }
    if (const auto polled = poll(); !polled) return tl::unexpected(polled.error());
  }
  return {};
}

Result<void> RawFabricSource::prepare(const std::string& message) {
  if (!end_) {
    auto opened = FabricEnd::open(nlohmann::json::parse(message).at("provider"), state_.memory());
    if (!opened) return tl::unexpected(opened.error());
    end_ = std::make_unique<FabricEnd>(std::move(*opened));
  }
  return end_->reach(message);
}

Result<Moved> RawFabricSource::move() {
  return end_->write_all(chunk_bytes_).and_then([&] { return control_.send_message("written"); }).map([&] {
    return Moved{.bytes = state_.memory().size()};
  });
}

Result<std::string> RawFabricTarget::prepare() {
  if (!end_) {
    auto opened = FabricEnd::open(provider_, state_.memory());
    if (!opened) return tl::unexpected(opened.error());
    end_ = std::make_unique<FabricEnd>(std::move(*opened));
  }
  return end_->invitation();
}

Result<void> RawFabricTarget::receive() {
  // Writes arrive only while the target polls, too; that the last one is complete there is for the source to tell.
  while (!control_.has_message()) {
    for (int i = 0; i < 64; ++i)
      if (const auto polled = end_->poll(); !polled) return tl::unexpected(polled.error());
  }
  return control_.receive_message().map([](const std::string&) {});
}

}  // namespace cppc::bench
