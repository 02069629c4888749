/// Communicators when the world under the program changes and its processes stay.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "mpi/comm_table.hpp"
#include "test_world.hpp"

// Of MPI 1, which mpi.h has only on request.
#undef MPI_Errhandler_create
#undef MPI_Errhandler_get
#undef MPI_Errhandler_set
extern "C" {
int MPI_Errhandler_create(MPI_Comm_errhandler_function*, MPI_Errhandler*);
int MPI_Errhandler_get(MPI_Comm, MPI_Errhandler*);
int MPI_Errhandler_set(MPI_Comm, MPI_Errhandler);
}

namespace cppc::test {

const int moved_rank = -1;

namespace {

using mpi::comms;

std::string name_of(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Comm_get_name(comm, name, &length);
  return name;
}

MPI_Errhandler handler_of(MPI_Comm comm) {
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(comm, &handler);
  return handler;
}

std::vector<int> all_ranks() {
  std::vector<int> ranks(static_cast<std::size_t>(size_of(MPI_COMM_WORLD)));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

void rebuild() { ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK); }

int calls_of_own_handler = 0;
MPI_Comm comm_of_own_handler = MPI_COMM_NULL;
void own_handler(MPI_Comm* comm, int*, ...) {
  ++calls_of_own_handler;
  comm_of_own_handler = *comm;
}

TEST(World, IsTheExtensions) {
  int process, processes;
  PMPI_Comm_rank(MPI_COMM_WORLD, &process);
  PMPI_Comm_size(MPI_COMM_WORLD, &processes);
  EXPECT_EQ(size_of(MPI_COMM_WORLD), processes);
  EXPECT_EQ(rank_in(MPI_COMM_WORLD), processes - 1 - process);
  EXPECT_EQ(name_of(MPI_COMM_WORLD), "MPI_COMM_WORLD");
  MPI_Comm world = MPI_COMM_WORLD;
  EXPECT_EQ(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN), MPI_SUCCESS);
  EXPECT_NE(MPI_Comm_free(&world), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
}

TEST(World, HasNoParent) {
  MPI_Comm parent = MPI_COMM_SELF;
  MPI_Comm_get_parent(&parent);
  EXPECT_EQ(parent, MPI_COMM_NULL);
}

TEST(World, ComparesWithItsDuplicate) {
  MPI_Comm dup;
  int result;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_compare(MPI_COMM_WORLD, dup, &result);
  EXPECT_EQ(result, MPI_CONGRUENT);
  MPI_Comm_compare(dup, dup, &result);
  EXPECT_EQ(result, MPI_IDENT);
  MPI_Comm_free(&dup);
}

TEST(World, HasTheAttributesOfTheLaunch) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  for (const int keyval : {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_UNIVERSE_SIZE}) {
    int *launch = nullptr, *world = nullptr, *copy = nullptr;
    int has = 0, world_has = 0, copy_has = 0;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &launch, &has);
    MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &world, &world_has);
    MPI_Comm_get_attr(dup, keyval, &copy, &copy_has);
    ASSERT_TRUE(has && world_has && copy_has) << keyval;
    EXPECT_EQ(*world, *launch);
    EXPECT_EQ(*copy, *launch);
  }
  MPI_Comm_free(&dup);
}

TEST(Handles, AreNumbersAndFreedOnesAreInvalid) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  EXPECT_TRUE(mpi::CommTable::is_virtual(dup));
  const MPI_Comm kept = dup;
  MPI_Comm_free(&dup);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank;
  EXPECT_NE(MPI_Comm_rank(kept, &rank), MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST(Handles, OfFreedCommunicatorsAreUsedAgain) {
  MPI_Comm first;
  MPI_Comm_dup(MPI_COMM_SELF, &first);
  const MPI_Comm handle = first;
  MPI_Comm_free(&first);
  const std::size_t used = comms.indices().size();
  for (int i = 0; i < 200; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    ASSERT_EQ(comm, handle);
    MPI_Comm_free(&comm);
  }
  EXPECT_EQ(comms.indices().size(), used);
}

TEST(Rebuild, KeepsCommunicators) {
  auto communicators = make_communicators();
  expect_sound(communicators);
  for (int round = 0; round < 2; ++round) {
    rebuild();
    EXPECT_EQ(comms.indices().size(), communicators.size());
    expect_sound(communicators);
  }
  free_communicators(communicators);
}

TEST(Rebuild, KeepsThoseMadeAfterAnEarlierOne) {
  auto communicators = make_communicators();
  rebuild();
  auto later = make_communicators();
  MPI_Comm_free(&communicators.front().comm);
  communicators.erase(communicators.begin());
  rebuild();
  expect_sound(communicators);
  expect_sound(later);
  free_communicators(later);
  free_communicators(communicators);
}

/// Else two processes could wait for each other in the making of different communicators.
TEST(Rebuild, KeepsTheOrderInWhichCommunicatorsWereMade) {
  const bool reuses = rank_in(MPI_COMM_WORLD) % 2 == 0;
  MPI_Comm alone, first, second;
  if (reuses) MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  if (reuses) MPI_Comm_free(&alone);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  EXPECT_EQ(reuses, second < first);
  for (int round = 0; round < 2; ++round) {
    rebuild();
    expect_sound({{first, "", all_ranks()}, {second, "", all_ranks()}});
  }
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

TEST(Rebuild, ForgetsWhatHasBeenFreed) {
  for (int round = 0; round < 5; ++round) {
    auto communicators = make_communicators();
    free_communicators(communicators);
  }
  EXPECT_TRUE(comms.indices().empty());
  rebuild();
  EXPECT_TRUE(comms.indices().empty());
}

TEST(ErrorHandlers, AreGivenTheProgramsCommunicator) {
  MPI_Comm self = MPI_COMM_SELF, world = MPI_COMM_WORLD, copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(own_handler, &handler);
  for (MPI_Comm comm : {self, world, copy}) {
    const MPI_Errhandler before = handler_of(comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
    EXPECT_EQ(comm_of_own_handler, comm);
    MPI_Comm_set_errhandler(comm, before);
  }
  MPI_Comm_set_errhandler(world, handler);
  comm_of_own_handler = MPI_COMM_NULL;
  MPI_Type_contiguous(-1, MPI_INT, nullptr);
  EXPECT_EQ(comm_of_own_handler, world) << "errors that belong to no communicator";
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&copy);
}

MPI_Win win_of_own_handler = MPI_WIN_NULL;
void own_handler_of_windows(MPI_Win* win, int*, ...) { win_of_own_handler = *win; }

MPI_File file_of_own_handler = nullptr;
void own_handler_of_files(MPI_File* file, int*, ...) { file_of_own_handler = *file; }

TEST(ErrorHandlers, OfWindowsAreGivenTheProgramsWindow) {
  MPI_Win win;
  MPI_Errhandler handler, now;
  MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create_errhandler(own_handler_of_windows, &handler);
  MPI_Win_set_errhandler(win, handler);
  for (int round = 0; round < 2; ++round) {
    win_of_own_handler = MPI_WIN_NULL;
    MPI_Win_get_errhandler(win, &now);
    EXPECT_EQ(now, handler);
    MPI_Errhandler_free(&now);
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    EXPECT_EQ(win_of_own_handler, win);
    rebuild();
  }
  MPI_Errhandler_free(&handler);
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_UNSUPPORTED) << "its function is not declared";
  MPI_Win_free(&win);
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_OK);
}

TEST(ErrorHandlers, OfFilesAreGivenTheProgramsFile) {
  MPI_File file;
  MPI_Errhandler handler;
  ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_SUCCESS);
  MPI_File_create_errhandler(own_handler_of_files, &handler);
  for (const MPI_File one : {file, MPI_FILE_NULL}) MPI_File_set_errhandler(one, handler);
  MPI_File_call_errhandler(file, MPI_ERR_OTHER);
  EXPECT_EQ(file_of_own_handler, file);
  MPI_File none;
  EXPECT_NE(MPI_File_open(MPI_COMM_SELF, "/nowhere/at all", MPI_MODE_RDONLY, MPI_INFO_NULL, &none), MPI_SUCCESS);
  EXPECT_EQ(file_of_own_handler, MPI_FILE_NULL);
  MPI_Errhandler_free(&handler);
  for (const MPI_File one : {file, MPI_FILE_NULL}) {
    ByteWriter writer;
    EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_UNSUPPORTED) << "its function is not declared";
    MPI_File_set_errhandler(one, MPI_ERRORS_RETURN);
  }
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_OK);
  MPI_File_close(&file);
}

TEST(ErrorHandlers, OfMpi1AreTheSame) {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Errhandler handler, now;
  MPI_Errhandler_create(own_handler, &handler);
  EXPECT_EQ(MPI_Errhandler_set(copy, handler), MPI_SUCCESS);
  EXPECT_EQ(MPI_Errhandler_get(copy, &now), MPI_SUCCESS);
  EXPECT_EQ(now, handler);
  MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER);
  EXPECT_EQ(comm_of_own_handler, copy);
  for (MPI_Errhandler* one : {&handler, &now}) MPI_Errhandler_free(one);
  MPI_Comm_free(&copy);
}

TEST(Rebuild, KeepsNamesAndErrorHandlers) {
  MPI_Comm quiet, loud, own;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &quiet);
  MPI_Comm_dup(MPI_COMM_WORLD, &loud);
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(quiet, MPI_ERRORS_RETURN);
  MPI_Comm_create_errhandler(own_handler, &handler);
  MPI_Comm_set_errhandler(own, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_name(MPI_COMM_WORLD, "everybody");
  rebuild();
  EXPECT_EQ(name_of(MPI_COMM_WORLD), "everybody");
  EXPECT_EQ(handler_of(MPI_COMM_WORLD), MPI_ERRORS_RETURN);
  EXPECT_EQ(handler_of(quiet), MPI_ERRORS_RETURN);
  EXPECT_EQ(handler_of(loud), MPI_ERRORS_ARE_FATAL);
  calls_of_own_handler = 0;
  MPI_Send(nullptr, 0, MPI_INT, size_of(own), 0, own);
  EXPECT_EQ(calls_of_own_handler, 1);
  EXPECT_EQ(comm_of_own_handler, own);
  MPI_Comm_set_name(MPI_COMM_WORLD, "MPI_COMM_WORLD");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (MPI_Comm* comm : {&quiet, &loud, &own}) MPI_Comm_free(comm);
}

TEST(Rebuild, RefusesAWorldWithOtherRanks) {
  MPI_Comm alone;
  PMPI_Comm_dup(MPI_COMM_SELF, &alone);
  if (size_of(MPI_COMM_WORLD) > 1) {
    EXPECT_EQ(mpi_state::rebuild(alone), CPPC_ERR_MISMATCH);
  }
  PMPI_Comm_free(&alone);
  EXPECT_GT(size_of(MPI_COMM_WORLD), 0);
}

TEST(Serialize, RefusesAnErrorHandlerWhoseFunctionIsNotDeclared) {
  MPI_Comm own;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_create_errhandler(own_handler, &handler);
  MPI_Comm_set_errhandler(own, handler);
  ByteWriter writer;
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_UNSUPPORTED);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_ERR_UNSUPPORTED) << "the program has it still";
  MPI_Errhandler_free(&handler);
  EXPECT_EQ(mpi_state::serialize(writer), CPPC_OK);
  MPI_Comm_free(&own);
}

}  // namespace

}  // namespace cppc::test
