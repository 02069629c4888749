/// GoogleTest in every process of an MPI job. The first failure ends the job: the others may wait for that process.
#include <gtest/gtest.h>
#include <mpi.h>

namespace {

class EndJobOnFailure : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    testing::TestEventListener* printer = testing::UnitTest::GetInstance()->listeners().default_result_printer();
    if (printer != nullptr) printer->OnTestPartResult(result);
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  MPI_Init(&argc, &argv);
  testing::UnitTest::GetInstance()->listeners().Append(new EndJobOnFailure);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
