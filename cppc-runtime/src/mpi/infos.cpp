#include "mpi/infos.hpp"

#include <algorithm>
#include <array>

#include "log.hpp"
#include "mpi/mpi_objects.hpp"
#include "mpi/recipes.hpp"
#include "mpi/turns.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

int make_info(const Hints& hints, MPI_Info* made) {
  int status = PMPI_Info_create(made);
  for (const auto& [key, value] : hints)
    if (status == MPI_SUCCESS) status = PMPI_Info_set(*made, key.c_str(), value.c_str());
  return status;
}

bool fits(const std::string& text, std::size_t limit) {
  return text.size() < limit && text.find('\0') == std::string::npos;
}

}  // namespace

OwnInfo OwnInfo::with(const Hints& hints) {
  MPI_Info info = MPI_INFO_NULL;
  if (!hints.empty()) must(make_info(hints, &info), "MPI_Info_set");
  return OwnInfo(info);
}

Hints hints_in(MPI_Info info) {
  int keys = 0;
  must(PMPI_Info_get_nkeys(info, &keys), "MPI_Info_get_nkeys");
  Hints hints;
  for (int i = 0; i < keys; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    std::array<char, MPI_MAX_INFO_VAL + 1> value{};
    int found = 0;
    must(PMPI_Info_get_nthkey(info, i, key.data()), "MPI_Info_get_nthkey");
    must(PMPI_Info_get(info, key.data(), MPI_MAX_INFO_VAL, value.data(), &found), "MPI_Info_get");
    if (found) hints.emplace_back(key.data(), value.data());
  }
  return hints;
}

Hints hints_of(MPI_Comm comm) {
  MPI_Info info = MPI_INFO_NULL;
  must(PMPI_Comm_get_info(comm, &info), "MPI_Comm_get_info");
  const OwnInfo own(info);
  return info == MPI_INFO_NULL ? Hints{} : hints_in(info);
}

void set_hints(MPI_Comm comm, const Hints& hints) {
  if (!hints.empty()) must(PMPI_Comm_set_info(comm, OwnInfo::with(hints).get()), "MPI_Comm_set_info");
}

void write(const Hints& hints, ByteWriter& writer) {
  writer.u64(hints.size());
  for (const auto& [key, value] : hints) {
    writer.text(key);
    writer.text(value);
  }
}

Hints read_hints(ByteReader& reader) {
  Hints hints;
  const std::uint64_t count = reader.count(2 * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const std::string key(reader.text());
    hints.emplace_back(key, reader.text());
    if (key.empty() || !fits(key, MPI_MAX_INFO_KEY) || !fits(hints.back().second, MPI_MAX_INFO_VAL)) reader.fail();
  }
  return hints;
}

int Infos::free(MPI_Info* info) {
  if (info == nullptr || infos_.find(*info) == nullptr) return PMPI_Info_free(info);
  MPI_Info freed = real(*info);
  const int status = PMPI_Info_free(&freed);
  if (status != MPI_SUCCESS) return status;
  infos_.remove(*info);
  *info = MPI_INFO_NULL;
  return status;
}

void Infos::write(ByteWriter& writer) {
  std::uint64_t count = 0;
  infos_.each([&](std::size_t, MPI_Info, const Nothing&) { ++count; });
  writer.u64(count);
  infos_.each([&](std::size_t index, MPI_Info real, const Nothing&) {
    writer.u64(index);
    mpi::write(hints_in(real), writer);
  });
}

std::vector<InfoRecipe> Infos::read(ByteReader& reader) {
  return read_recipes(reader, 2 * sizeof(std::uint64_t),
                      [&](std::uint64_t number) { return InfoRecipe{.number = number, .hints = read_hints(reader)}; });
}

cppc_status Infos::make(const std::vector<InfoRecipe>& recipes) {
  const ErrorsReturned errors_returned;
  for (const auto& [number, hints] : recipes) {
    MPI_Info info = MPI_INFO_NULL;
    if (const int status = make_info(hints, &info); status != MPI_SUCCESS) {
      log().error("cannot make an info object again: {}", error_text(status));
      return CPPC_ERR_MPI;
    }
    infos_.put(number, info, {});
  }
  return CPPC_OK;
}

Infos& infos() {
  static NeverDestroyed<Infos> instance;
  return *instance;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_Info_free(MPI_Info* info) {
  const Entry entry;
  return comms.managed() ? infos().free(info) : PMPI_Info_free(info);
}

}  // extern "C"
