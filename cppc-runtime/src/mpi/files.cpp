#include "mpi/files.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "address/program_stack.hpp"
#include "log.hpp"
#include "mpi/collective_counts.hpp"
#include "mpi/comm_table.hpp"
#include "mpi/datatypes.hpp"
#include "mpi/numbers.hpp"
#include "mpi/refuse.hpp"
#include "mpi/traffic.hpp"
#include "mpi/turns.hpp"
#include "never_destroyed.hpp"

namespace cppc::mpi {

namespace {

std::string absolute(const char* name) {
  std::error_code error;
  const auto path = std::filesystem::absolute(name, error);
  return error ? name : path.string();
}

/// MPI_COMM_NULL when MPI will not open a file on `comm`.
MPI_Comm copy_of(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  if (comm == nullptr || comm == MPI_COMM_NULL) return copy;
  int inter = 0;
  must(PMPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  int rank = 0;
  must(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  // No duplicate: attributes and hints stay behind.
  if (inter != 0 || waiting<PMPI_Comm_split>(comm, 0, rank, &copy) != MPI_SUCCESS) return MPI_COMM_NULL;
  must(PMPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return copy;
}

std::vector<int> members_of(const File& file, MPI_Comm world) {
  return ranks_in(Group::of(world).get(), Group::of(file.comm).get());
}

bool moves(const File& file, MPI_Comm world_to_come) {
  return members_of(file, comms.world()) != members_of(file, world_to_come);
}

void close_for_now(File& file) {
  file.recipe.note(file.real);
  file.members = members_of(file, comms.world());
  must(PMPI_Barrier(file.comm), "MPI_Barrier");  // all have the shared position
  must(PMPI_File_set_errhandler(file.real, MPI_ERRORS_RETURN), "MPI_File_set_errhandler");
  int status = MPI_SUCCESS;
  if (file.opened.regular && writable(file.recipe.mode)) status = PMPI_File_sync(file.real);
  if (status == MPI_SUCCESS) status = PMPI_File_close(&file.real);
  if (status != MPI_SUCCESS) {
    abort_job("the open MPI file " + file.recipe.path +
              " cannot be closed while a rank moves, and may be incomplete: " + error_text(status));
  }
  must(PMPI_Comm_free(&file.comm), "MPI_Comm_free");
}

cppc_status reopen_one(File& file) {
  if (const int status = make_comm(comms.world(), file.members, &file.comm); status != MPI_SUCCESS) {
    log().error("cannot open the MPI file {} again: MPI_Comm_create_group: {}", file.recipe.path, error_text(status));
    return CPPC_ERR_MPI;
  }
  must(PMPI_Comm_set_errhandler(file.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  const auto opened = file.recipe.open(file.comm);
  if (!opened) return opened.error();
  file.real = *opened;
  file.opened = NodeFile::at(file.recipe.path);
  return CPPC_OK;
}

/// Once everybody has closed the file; for everybody it is gone afterwards.
int delete_together(MPI_Comm comm, const std::string& path) {
  int rank = 0, status = MPI_SUCCESS;
  must(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  must(waiting<PMPI_Barrier>(comm), "MPI_Barrier");
  if (rank == 0) status = PMPI_File_delete(path.c_str(), MPI_INFO_NULL);
  must(waiting<PMPI_Bcast>(&status, 1, MPI_INT, 0, comm), "MPI_Bcast");
  return status;
}

void release_types(const File& file) {
  datatypes().release(file.recipe.view.etype);
  datatypes().release(file.recipe.view.filetype);
}

}  // namespace

int Files::open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* out) {
  if ((mode & MPI_MODE_SEQUENTIAL) != 0) refuse("MPI_File_open with MPI_MODE_SEQUENTIAL");
  const MPI_Comm given = comms.real(comm, "MPI_File_open");
  MPI_Comm own = copy_of(given);
  if (own == MPI_COMM_NULL) return waiting<PMPI_File_open>(given, name, mode, mpi::real(info), out);
  // The file is deleted when the program closes it, not when a rank moves.
  MPI_File made = MPI_FILE_NULL;
  const int status = waiting<PMPI_File_open>(own, name, mode & ~MPI_MODE_DELETE_ON_CLOSE, mpi::real(info), &made);
  if (status != MPI_SUCCESS) {
    must(PMPI_Comm_free(&own), "MPI_Comm_free");
    return status;
  }
  File file{.order = ++opened_, .comm = own, .real = made};
  file.recipe.path = absolute(name);
  file.recipe.mode = mode;
  file.opened = NodeFile::at(file.recipe.path);
  *out = table_.add(std::move(file));
  return MPI_SUCCESS;
}

int Files::close(MPI_File* file) {
  File* closed = file != nullptr ? find(*file) : nullptr;
  if (closed == nullptr) {
    MPI_File none = file != nullptr ? real(*file) : MPI_FILE_NULL;
    return PMPI_File_close(&none);
  }
  MPI_File real = closed->real;
  int status = waiting<PMPI_File_close>(&real);
  if (status != MPI_SUCCESS) return status;
  closed = find(*file);
  if ((closed->recipe.mode & MPI_MODE_DELETE_ON_CLOSE) != 0) {
    status = delete_together(closed->comm, std::string(closed->recipe.path));
    closed = find(*file);
  }
  must(PMPI_Comm_free(&closed->comm), "MPI_Comm_free");
  release_types(*closed);
  table_.remove(*file);
  *file = MPI_FILE_NULL;
  return status;
}

int Files::get_mode(MPI_File file, int* mode) {
  const int status = PMPI_File_get_amode(real(file), mode);
  const File* const found = find(file);
  if (status == MPI_SUCCESS && found != nullptr) *mode = found->recipe.mode;
  return status;
}

int Files::set_view(MPI_File file, const FileView& view, MPI_Info info) {
  const MPI_Info real_info = mpi::real(info);
  const int status = waiting<PMPI_File_set_view>(real(file), view.displacement, mpi::real(view.etype),
                                                 mpi::real(view.filetype), view.representation.c_str(), real_info);
  File* const found = find(file);
  if (status != MPI_SUCCESS || found == nullptr) return status;
  for (const MPI_Datatype type : {view.etype, view.filetype}) datatypes().retain(type);
  release_types(*found);
  found->recipe.view = view;
  if (info != MPI_INFO_NULL) found->recipe.view.hints = hints_in(real_info);
  return status;
}

bool Files::busy() {
  bool found = false;
  table_.each([&](std::size_t, const File& file) { found = found || file.in_two_calls; });
  return found;
}

int Files::began(int status, MPI_File file) {
  File* const found = find(file);
  if (status == MPI_SUCCESS && found != nullptr && !std::exchange(found->in_two_calls, true)) traffic.activated(1);
  return status;
}

int Files::ended(int status, MPI_File file) {
  File* const found = find(file);
  if (found != nullptr && std::exchange(found->in_two_calls, false)) traffic.completed(1);
  return status;
}

std::vector<std::pair<std::size_t, File*>> Files::all() {
  std::vector<std::pair<std::size_t, File*>> all;
  table_.each([&](std::size_t index, File& file) { all.emplace_back(index, &file); });
  std::ranges::sort(all, {}, [](const auto& entry) { return entry.second->order; });
  return all;
}

std::vector<std::string> Files::paths() {
  std::vector<std::string> found;
  table_.each([&](std::size_t, const File& file) { found.push_back(file.recipe.path); });
  return found;
}

cppc_status Files::write(ByteWriter& writer) {
  const auto all = this->all();
  const ErrorSetting of_new_ones(HandlerKind::file, ErrorHandler::of(MPI_FILE_NULL));
  if (!of_new_ones.portable("MPI_FILE_NULL")) return CPPC_ERR_UNSUPPORTED;
  of_new_ones.write(writer);
  writer.u64(all.size());
  for (const auto& [index, file] : all) {
    const auto size = flush(file->recipe.path, file->recipe.mode, file->opened);
    if (!size) return size.error();
    file->recipe.note(file->real);
    writer.u32(static_cast<std::uint32_t>(index));
    if (const cppc_status status = file->recipe.write(writer); status != CPPC_OK) return status;
    write_numbers(writer, members_of(*file, comms.world()));
    writer.i64(*size);
  }
  return CPPC_OK;
}

StoredFiles Files::read(ByteReader& reader, int rank, int size) {
  StoredFiles stored{.error_handler = ErrorSetting::read(HandlerKind::file, reader), .files = {}};
  std::vector<bool> seen(Table::limit);
  const std::uint64_t count = reader.count(sizeof(std::uint32_t));
  for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
    const std::uint32_t index = reader.u32();
    stored.files.push_back(
        {.index = index, .recipe = FileRecipe::read(reader), .members = read_numbers(reader), .size = reader.i64()});
    const std::vector<int>& members = stored.files.back().members;
    const bool shared_by_me = distinct_ranks(members, size) && std::ranges::find(members, rank) != members.end();
    if (index == 0 || index >= Table::limit || seen[index] || !shared_by_me) {
      reader.fail();
      break;
    }
    seen[index] = true;
  }
  return stored;
}

cppc_status Files::adopt(StoredFiles stored) {
  if (const cppc_status status = stored.error_handler.find(); status != CPPC_OK) return status;
  must(PMPI_File_set_errhandler(MPI_FILE_NULL, stored.error_handler.get()), "MPI_File_set_errhandler");
  for (StoredFile& one : stored.files) {
    if (const cppc_status status = check(one.recipe.path, one.recipe.mode, one.size); status != CPPC_OK) return status;
    if (const cppc_status status = one.recipe.find_types(); status != CPPC_OK) return status;
    if (const cppc_status status = one.recipe.error_handler.find(); status != CPPC_OK) return status;
    File file{.recipe = std::move(one.recipe), .order = ++opened_, .members = std::move(one.members)};
    table_.put(one.index, std::move(file));
  }
  return CPPC_OK;
}

void Files::close_moved(MPI_Comm world_to_come) {
  for (const auto& [index, file] : all())
    if (moves(*file, world_to_come)) close_for_now(*file);
}

void Files::abandon() {
  for (const auto& [index, file] : all()) close_for_now(*file);
  table_ = {};
}

cppc_status Files::reopen() {
  for (const auto& [index, file] : all()) {
    if (file->real != MPI_FILE_NULL) continue;
    if (const cppc_status status = reopen_one(*file); status != CPPC_OK) return status;
  }
  return CPPC_OK;
}

Files& files() {
  static NeverDestroyed<Files> instance;
  return *instance;
}

}  // namespace cppc::mpi

using namespace cppc::mpi;

extern "C" {

int MPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file) {
  const Entry entry;
  if (!comms.managed()) return PMPI_File_open(comm, name, mode, info, file);
  collective_counts().begin(comm);
  const int status = files().open(comm, name, mode, info, file);
  cppc::address::program_stack::clear_unused();  // MPI has opened libraries
  if (status == MPI_SUCCESS && Files::index_of(*file) != SIZE_MAX)
    collective_counts().made(CollectiveCounts::index_of(comm), Files::index_of(*file), files().real(*file));
  return status;
}

int MPI_File_close(MPI_File* file) {
  const Entry entry;
  if (!comms.managed() || file == nullptr) return PMPI_File_close(file);
  const std::size_t index = Files::index_of(*file);
  collective_counts().begin(CollectiveCounts::Of::file, index);
  const int status = files().close(file);
  if (status == MPI_SUCCESS) collective_counts().gone(CollectiveCounts::Of::file, index);
  return status;
}

int MPI_File_get_amode(MPI_File file, int* mode) {
  const Entry entry;
  return files().get_mode(file, mode);
}

int MPI_File_set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                      const char* representation, MPI_Info info) {
  const Entry entry;
  if (!comms.managed()) return PMPI_File_set_view(file, displacement, etype, filetype, representation, info);
  collective_counts().begin(CollectiveCounts::Of::file, Files::index_of(file));
  return files().set_view(file,
                          {.displacement = displacement,
                           .etype = etype,
                           .filetype = filetype,
                           .representation = representation,
                           .hints = {}},
                          info);
}

int MPI_File_get_view(MPI_File file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
                      char* representation) {
  const Entry entry;
  const int status = PMPI_File_get_view(files().real(file), displacement, etype, filetype, representation);
  if (!comms.managed() || status != MPI_SUCCESS) return status;
  for (MPI_Datatype* const type : {etype, filetype}) *type = datatypes().given(*type);
  return status;
}

}  // extern "C"
