/// Descriptors of a program are the same in another process.
#include "process_case.hpp"

namespace cppc::test {
namespace {

class Descriptors : public ProcessCase, public testing::WithParamInterface<const char*> {};

TEST_P(Descriptors, AreTheSameInAnotherProcess) { expect_same_anywhere(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Programs, Descriptors,
                         testing::Values("place", "append", "shared", "directory", "redirected", "by_name", "closed",
                                         "devices", "gap", "locked", "lock_shared", "lock_ranges", "mere_path"),
                         [](const auto& info) { return std::string(info.param); });

struct Refusal {
  const char* program;
  const char* reason;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.program; }

class RefusedDescriptors : public ProcessCase, public testing::WithParamInterface<Refusal> {};

TEST_P(RefusedDescriptors, ByNumberNameAndKind) { expect_refused(GetParam().program, GetParam().reason); }

INSTANTIATE_TEST_SUITE_P(
    Programs, RefusedDescriptors,
    testing::Values(Refusal{"pipe", "descriptor 3 (pipe:["}, Refusal{"socket", "]) is a socket, which cannot"},
                    Refusal{"epoll", "descriptor 3 (anon_inode:[eventpoll])"},
                    Refusal{"eventfd", "descriptor 3 (anon_inode:[eventfd"},
                    Refusal{"timerfd", "descriptor 3 (anon_inode:[timerfd])"},
                    Refusal{"signalfd", "descriptor 3 (anon_inode:[signalfd])"},
                    Refusal{"inotify", "descriptor 3 (anon_inode:inotify)"},
                    Refusal{"memfd", "is a file in memory without a name"},
                    Refusal{"status", "is a file in which the kernel tells"}, Refusal{"popen", "is a pipe"},
                    Refusal{"deleted", "/file (deleted)) is a deleted file"},
                    Refusal{"renamed_over", "is a file that its path no longer leads to"},
                    Refusal{"deleted_lock", "/file (deleted)) is a deleted file that is locked by fcntl()"}),
    [](const auto& info) { return std::string(info.param.program); });

class ArrivingDescriptors : public ProcessCase {
 protected:
  void expect_error(const std::string& status, const std::string& reason, const std::string& more = "") {
    const Finished arrived = run_part("place", "moved", "--load", more);
    EXPECT_TRUE(arrived.errors.ends_with("status: " + status + "\nexit: 1\n")) << arrived.errors;
    EXPECT_NE(arrived.errors.find(reason), std::string::npos) << arrived.errors;
  }

  const std::filesystem::path file_ = directory() / "moved" / "file";
};

TEST_F(ArrivingDescriptors, MissTheirFile) {
  run_part("place", "moved", "--save");
  std::filesystem::remove(file_);
  expect_error("102", "cannot open " + file_.string() + " for descriptor 3: No such file or directory");
}

TEST_F(ArrivingDescriptors, FindTheirNumberInUse) {
  run_part("place", "moved", "--save");
  expect_error("101", "descriptor 3 (/dev/zero), which is the program's, is used by MPI", " 3</dev/zero");
}

TEST_F(ArrivingDescriptors, FindAnotherFile) {
  run_part("place", "moved", "--save");
  std::filesystem::rename(file_, directory() / "kept");
  std::ofstream(file_) << "one two three";
  expect_error("202", file_.string() + ", opened for descriptor 3, is not the file that was open");
}

TEST_F(ArrivingDescriptors, FindTheirFileTooShort) {
  run_part("place", "moved", "--save");
  std::filesystem::resize_file(file_, 2);
  expect_error("202", "has 2 bytes on this node and needs 4");
}

}  // namespace
}  // namespace cppc::test
