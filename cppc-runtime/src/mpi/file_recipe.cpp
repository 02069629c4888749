#include "mpi/file_recipe.hpp"

#include <bit>

#include "handles.hpp"
#include "log.hpp"
#include "mpi/datatypes.hpp"

namespace cppc::mpi {

namespace {

/// What counts when a file is opened for the first time only, and what libcppc does itself (files.cpp).
constexpr int not_again = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE;
constexpr int access_modes = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR;

bool sound_mode(int mode) {
  return (mode & ~(access_modes | not_again | MPI_MODE_UNIQUE_OPEN)) == 0 &&
         std::has_single_bit(static_cast<unsigned>(mode & access_modes));
}

bool is_text(const std::string& text) { return !text.empty() && text.find('\0') == std::string::npos; }

bool sound(const FileRecipe& recipe) {
  return is_text(recipe.path) && recipe.path.front() == '/' && sound_mode(recipe.mode) &&
         is_text(recipe.view.representation) && recipe.view.representation.size() < MPI_MAX_DATAREP_STRING &&
         recipe.view.displacement >= 0 && recipe.position >= 0 && recipe.shared_position >= 0;
}

tl::expected<std::uint64_t, cppc_status> number_of(MPI_Datatype type, const std::string& path) {
  const std::uint64_t number = handles::encode(CPPC_MPI_DATATYPE, &type).value_or(0);
  MPI_Datatype again = MPI_DATATYPE_NULL;
  if (handles::decode(CPPC_MPI_DATATYPE, number, &again) && again == type) return number;
  log().error("the view of the open MPI file {} has a datatype that cannot be made again in another process", path);
  return tl::unexpected(CPPC_ERR_UNSUPPORTED);
}

bool find(std::uint64_t number, MPI_Datatype& type) {
  return handles::decode(CPPC_MPI_DATATYPE, number, &type) && type != MPI_Datatype{} && type != MPI_DATATYPE_NULL;
}

}  // namespace

void FileRecipe::note(MPI_File file) {
  error_handler = ErrorSetting(HandlerKind::file, ErrorHandler::of(file));
  const FileErrorsReturned errors_returned(file);
  int is_atomic = 0;
  must(PMPI_File_get_atomicity(file, &is_atomic), "MPI_File_get_atomicity");
  atomic = is_atomic != 0;
  must(PMPI_File_get_position(file, &position), "MPI_File_get_position");
  // Not every file system has shared positions; nobody can have moved one then.
  if (PMPI_File_get_position_shared(file, &shared_position) != MPI_SUCCESS) shared_position = 0;
  MPI_Info info = MPI_INFO_NULL;
  must(PMPI_File_get_info(file, &info), "MPI_File_get_info");
  const OwnInfo own(info);
  hints = info == MPI_INFO_NULL ? Hints{} : hints_in(info);
}

tl::expected<MPI_File, cppc_status> FileRecipe::open(MPI_Comm comm) const {
  const FileErrorsReturned errors_returned(MPI_FILE_NULL);
  const OwnInfo info = OwnInfo::with(hints);
  const OwnInfo view_info = OwnInfo::with(view.hints);
  MPI_File file = MPI_FILE_NULL;
  const char* call = "MPI_File_open";
  int status = PMPI_File_open(comm, path.c_str(), mode & ~not_again, info.get(), &file);
  const auto then = [&](const char* next, auto make) {
    if (status != MPI_SUCCESS) return;
    call = next;
    status = make();
  };
  then("MPI_File_set_view", [&] {
    return PMPI_File_set_view(file, view.displacement, real(view.etype), real(view.filetype),
                              view.representation.c_str(), view_info.get());
  });
  if (atomic) then("MPI_File_set_atomicity", [&] { return PMPI_File_set_atomicity(file, 1); });
  then("MPI_File_seek", [&] { return PMPI_File_seek(file, position, MPI_SEEK_SET); });
  if (shared_position > 0) {
    then("MPI_File_seek_shared", [&] { return PMPI_File_seek_shared(file, shared_position, MPI_SEEK_SET); });
  }
  then("MPI_File_set_errhandler", [&] { return PMPI_File_set_errhandler(file, error_handler.get()); });
  if (status == MPI_SUCCESS) return file;
  log().error("cannot open the MPI file {} again: {}: {}", path, call, error_text(status));
  return tl::unexpected(CPPC_ERR_MPI);
}

cppc_status FileRecipe::write(ByteWriter& writer) const {
  const auto etype = number_of(view.etype, path);
  if (!etype) return etype.error();
  const auto filetype = number_of(view.filetype, path);
  if (!filetype) return filetype.error();
  if (!error_handler.portable("the open MPI file " + path)) return CPPC_ERR_UNSUPPORTED;
  writer.text(path);
  writer.i32(mode);
  writer.i64(view.displacement);
  writer.u64(*etype);
  writer.u64(*filetype);
  writer.text(view.representation);
  mpi::write(view.hints, writer);
  mpi::write(hints, writer);
  writer.u8(atomic);
  error_handler.write(writer);
  writer.i64(position);
  writer.i64(shared_position);
  return CPPC_OK;
}

FileRecipe FileRecipe::read(ByteReader& reader) {
  FileRecipe recipe;
  recipe.path = reader.text();
  recipe.mode = reader.i32();
  recipe.view.displacement = reader.i64();
  recipe.stored_etype = reader.u64();
  recipe.stored_filetype = reader.u64();
  recipe.view.representation = reader.text();
  recipe.view.hints = read_hints(reader);
  recipe.hints = read_hints(reader);
  recipe.atomic = reader.u8() != 0;
  recipe.error_handler = ErrorSetting::read(HandlerKind::file, reader);
  recipe.position = reader.i64();
  recipe.shared_position = reader.i64();
  if (!sound(recipe)) reader.fail();
  return recipe;
}

cppc_status FileRecipe::find_types() {
  if (find(stored_etype, view.etype) && find(stored_filetype, view.filetype)) return CPPC_OK;
  log().error("the view of the open MPI file {} in the image has a number for a datatype that stands for none", path);
  return CPPC_ERR_IMAGE;
}

}  // namespace cppc::mpi
