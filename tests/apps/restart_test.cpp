/// Every program of this folder goes on in new processes, in which all that was not saved holds something else
/// (tests/support/restart_extension.cpp), with the result of the plain program: those whose state is kept by address,
/// and those in C that are built portably as well.
#include <gtest/gtest.h>

#include <ostream>

#include "job.hpp"

namespace cppc::test {

struct Program {
  std::string name;
  std::vector<std::string> arguments;
  std::string later = "2,3,6";  ///< safe points, after which it goes on in other processes
};

void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

namespace {

const std::vector<Program> kPrograms{
    {"heat", {"--quiet", "--size", "200", "--steps", "20"}},
    {"cg", {"S", "--quiet"}},
    {"ep", {"S", "--repeat", "9"}},
    {"is", {"S"}},
    {"mg", {"S", "--repeat", "4"}},
    {"ft", {"S", "--repeat", "2"}},
    {"md", {"--layers", "12", "--steps", "20"}},
    {"tree", {"--steps", "20"}},
    {"blocks", {"--size", "64", "--steps", "12"}},
    {"types", {"--rows", "120", "--columns", "160", "--steps", "20"}},
    {"objects", {"--steps", "20"}},
    {"constants", {"--steps", "20"}},
    {"storm", {"--steps", "20"}},
    {"records", {"--steps", "20"}},
    {"onesided", {"--steps", "20"}},
};

const std::vector<Program> kOtherLanguages{
    {"particles", {"--steps", "20"}},
    {"spectral", {"--steps", "12"}},
    {"h5steps", {"--steps", "12"}},
    {"stencil_omp", {"--steps", "8"}},
    {"cg_f90", {"S"}},
    {"mg_f90", {"S", "--repeat", "9"}},
    {"ft_f90", {"S", "--repeat", "2"}},
    {"ep_f90", {"S", "--repeat", "9"}},
    {"adi_f77", {"--steps", "7"}},
    {"wave_f77", {"--steps", "400"}, "2"},
    {"mixed", {"--steps", "20"}},
};

Finished run(const std::string& path, const Program& program, const std::vector<std::string>& settings) {
  std::vector<std::string> command{path};
  command.insert(command.end(), program.arguments.begin(), program.arguments.end());
  return run_alone(command, settings);
}

class RestartTest : public testing::TestWithParam<Program> {
 protected:
  /// `path` is the same program, movable.
  void expect_same_from(const std::string& path) const {
    const Program& program = GetParam();
    const Finished plain = run(plain_app(program.name), program, {});
    ASSERT_EQ(plain.status, 0) << plain.output << plain.errors;
    for (const std::string& safe_points : {std::string("1"), program.later}) {
      const Finished restarted =
          run(path, program, {with_extension("restart_extension"), "CPPC_RESTART_AT=" + safe_points});
      EXPECT_EQ(restarted.status, 0) << restarted.errors;
      EXPECT_EQ(restarted.output, plain.output) << "restarted at " << safe_points;
    }
  }
};
class PortableRestartTest : public RestartTest {};

TEST_P(RestartTest, GoesOnWithWhatWasSaved) { expect_same_from(app(GetParam().name)); }

TEST_P(PortableRestartTest, GoesOnWithWhatWasSaved) { expect_same_from(portable_app(GetParam().name)); }

std::string name_of(const testing::TestParamInfo<Program>& one) { return one.param.name; }

INSTANTIATE_TEST_SUITE_P(Programs, RestartTest, testing::ValuesIn(kPrograms), name_of);
INSTANTIATE_TEST_SUITE_P(OtherLanguages, RestartTest, testing::ValuesIn(kOtherLanguages), name_of);
INSTANTIATE_TEST_SUITE_P(Programs, PortableRestartTest, testing::ValuesIn(kPrograms), name_of);

}  // namespace
}  // namespace cppc::test
