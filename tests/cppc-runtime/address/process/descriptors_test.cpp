/// Descriptors of a program are the same in another process.
#include "process_case.hpp"

namespace cppc::test {
namespace {

class Descriptors : public ProcessCase, public testing::WithParamInterface<const char*> {};

TEST_P(Descriptors, AreTheSameInAnotherProcess) { expect_same_anywhere(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Programs, Descriptors,
                         testing::Values("place", "append", "shared", "directory", "redirected", "by_name", "closed",
                                         "closed_files", "devices", "gap", "locked", "lock_shared", "lock_ranges",
                                         "mere_path"),
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

class ClosedFiles : public ProcessCase {
 protected:
  /// What the program that works on after its image was made, and another one, leave behind.
  void write(const std::string& name, const std::string& text, std::ios::openmode mode) {
    std::ofstream(directory() / "moved" / name, mode) << text;
  }
  std::map<std::string, std::string> after_a_restart(const std::string& part = "--restart") {
    const Finished arrived = run_part("closed_files", "moved", part);
    EXPECT_EQ(arrived.errors, "status: 0\nexit: 0\n");
    return files("moved");
  }
};

TEST_F(ClosedFiles, AreCutToWhatTheyWereBeforeMoreIsAppended) {
  run_part("closed_files", "alone", "");
  run_part("closed_files", "moved", "--save");
  for (const char* name : {"log", "other", "third", "replaced", "stream"}) write(name, "two\nthree\n", std::ios::app);
  EXPECT_EQ(after_a_restart(), files("alone"));
}

/// Another image, made by the process that has gone on, knows them as well.
TEST_F(ClosedFiles, AreKnownInTheNextProcess) {
  run_part("closed_files", "alone", "");
  run_part("closed_files", "moved", "--save");
  run_part("closed_files", "moved", "--pass");
  write("log", "two\n", std::ios::app);
  EXPECT_EQ(after_a_restart(), files("alone"));
}

TEST_F(ClosedFiles, AreLeftAloneWhenTheyHaveBeenWrittenAnewSince) {
  run_part("closed_files", "moved", "--save");
  write("log", "1\n2\n3\n4\n", std::ios::trunc);
  write("new", "1\n2\n3\n4\n", std::ios::trunc);
  std::filesystem::rename(directory() / "moved" / "new", directory() / "moved" / "other");
  std::filesystem::remove(directory() / "moved" / "third");
  const auto after = after_a_restart();
  EXPECT_EQ(after.at("log"), "1\n2\n3\n4\ntwo\n");
  EXPECT_EQ(after.at("other"), "1\n2\n3\n4\ntwo\n");
  EXPECT_EQ(after.at("third"), "two\n");
}

/// A rank that moves has not worked on; somebody else may have appended.
TEST_F(ClosedFiles, AreNotCutByAMove) {
  run_part("closed_files", "moved", "--save");
  write("log", "of somebody else\n", std::ios::app);
  EXPECT_EQ(after_a_restart("--load").at("log"), "one\nof somebody else\ntwo\n");
}

}  // namespace
}  // namespace cppc::test
