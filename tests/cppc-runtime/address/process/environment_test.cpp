#include "process_run.hpp"

namespace cppc {
namespace {

using namespace test;

TEST(Environment, ProgramsAndProcesssVariablesAreKeptApart) {
  expect_moved("environment",
               "kept from outside, same 1\nput after, set by the program\ngone 1, own new\nmore than before\n");
}

}  // namespace
}  // namespace cppc
