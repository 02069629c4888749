#include "credential.hpp"

#include <munge.h>

#include <cstdlib>
#include <memory>

namespace cppc::tools {
namespace {

struct FreeContext {
  void operator()(munge_ctx* context) const { munge_ctx_destroy(context); }
};
using Context = std::unique_ptr<munge_ctx, FreeContext>;

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

Result<Context> open_context() {
  Context context(munge_ctx_create());
  if (!context) return error("cannot use MUNGE: no memory");
  const char* socket = std::getenv(munge_socket_variable);
  if (socket != nullptr && munge_ctx_set(context.get(), MUNGE_OPT_SOCKET, socket) != EMUNGE_SUCCESS) {
    return error(std::string("cannot use MUNGE's socket ") + socket);
  }
  return context;
}

// What the context knows is more precise.
std::string reason(munge_err_t failure, munge_ctx_t context) {
  const char* message = munge_ctx_strerror(context);
  return message != nullptr ? message : munge_strerror(failure);
}

}  // namespace

std::string statement(const std::string& method, const std::string& path, const std::string& authority) {
  return "cppc-live " + method + " " + path + " " + authority;
}

std::string authority(const std::string& host, int port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<std::string> make_credential(const std::string& statement) {
  const auto context = open_context();
  if (!context) return error(context.error());
  char* raw = nullptr;
  const auto failure = munge_encode(&raw, context->get(), statement.data(), static_cast<int>(statement.size()));
  const std::unique_ptr<char, FreeMemory> text(raw);
  if (failure != EMUNGE_SUCCESS) return error("cannot make a credential of MUNGE: " + reason(failure, context->get()));
  return std::string(text.get());
}

Result<Credential> open_credential(const std::string& credential) {
  const auto context = open_context();
  if (!context) return error(context.error());
  void* raw = nullptr;
  int size = 0;
  Credential opened;
  gid_t group = 0;
  const auto failure = munge_decode(credential.c_str(), context->get(), &raw, &size, &opened.user, &group);
  const std::unique_ptr<void, FreeMemory> payload(raw);
  if (failure != EMUNGE_SUCCESS) return error(reason(failure, context->get()));
  if (size > 0) opened.statement.assign(static_cast<const char*>(payload.get()), static_cast<std::size_t>(size));
  return opened;
}

}  // namespace cppc::tools
