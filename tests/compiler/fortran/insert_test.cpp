#include "rewrite/fortran/insert.hpp"

#include <gtest/gtest.h>

namespace cppc::rewrite::fortran {
namespace {

std::string insert_into(const std::string& text, bool fixed_form, const Point& point, std::vector<const Point*>& obstacles) {
  return insert(text, fixed_form ? "a.f" : "a.f90", fixed_form, {&point}, obstacles);
}

TEST(Insert, FreeForm) {
  std::vector<const Point*> obstacles;
  const Point point{.number = 2, .line = 2, .column = 12, .arguments = {}, .dummies = {}, .code = {}, .dead = {}};
  EXPECT_EQ(insert_into("program a\ndo i = 1, 10  ! steps\n  x = i\nend do\nend\n", false, point, obstacles),
            "program a\ndo i = 1, 10  ! steps\n      call cppc_point_2\n# 3 \"a.f90\"\n  x = i\nend do\nend\n");
  EXPECT_TRUE(obstacles.empty());
}

TEST(Insert, FixedFormStaysWithinItsColumns) {
  std::vector<const Point*> obstacles;
  Point point{.number = 1, .line = 1, .column = 23, .arguments = {}, .dummies = {}, .code = {}, .dead = {}};
  for (int i = 0; i < 8; ++i) point.arguments.push_back("array_number_" + std::to_string(i));
  const std::string made = insert_into("      do 10 step = 1, 9\n 10   continue\n      end\n", true, point, obstacles);
  EXPECT_EQ(made,
            "      do 10 step = 1, 9\n"
            "      call cppc_point_1(array_number_0, array_number_1,\n"
            "     &  array_number_2, array_number_3, array_number_4,\n"
            "     &  array_number_5, array_number_6, array_number_7)\n"
            "# 2 \"a.f\"\n 10   continue\n      end\n");
}

TEST(Insert, FreeFormGoesOnInTheNextLine) {
  std::vector<const Point*> obstacles;
  Point point{.number = 1, .line = 1, .column = 2, .arguments = {}, .dummies = {}, .code = {}, .dead = {}};
  for (int i = 0; i < 4; ++i) point.arguments.push_back("array_number_" + std::to_string(i));
  EXPECT_EQ(insert_into("do\nend do\n", false, point, obstacles),
            "do\n      call cppc_point_1(array_number_0, array_number_1, &\n"
            "         array_number_2, array_number_3)\n# 2 \"a.f90\"\nend do\n");
}

TEST(Insert, NotWhereSomethingElseFollows) {
  std::vector<const Point*> obstacles;
  const Point point{.number = 1, .line = 1, .column = 12, .arguments = {}, .dummies = {}, .code = {}, .dead = {}};
  const std::string text = "do i = 1, 10; x = i\nend do\nend\n";
  EXPECT_EQ(insert_into(text, false, point, obstacles), text);
  EXPECT_EQ(obstacles, std::vector<const Point*>{&point});
}

TEST(Insert, BetweenALabelAndItsStatement) {
  std::vector<const Point*> obstacles;
  const Point point{.number = 1, .line = 2, .column = 7, .label = 500, .arguments = {}, .dummies = {}, .code = {}, .dead = {}};
  EXPECT_EQ(insert_into("      n = 1\n  500 if (n .gt. 9) goto 600\n      end\n", true, point, obstacles),
            "      n = 1\n500   continue\n      call cppc_point_1\n# 2 \"a.f\"\n      if (n .gt. 9) goto 600\n      end\n");
  EXPECT_EQ(insert_into("n = 1\n0500 n = n + 1; m = n\n", false, point, obstacles),
            "n = 1\n500   continue\n      call cppc_point_1\n# 2 \"a.f90\"\n     n = n + 1; m = n\n");
  EXPECT_TRUE(obstacles.empty());
  for (const std::string text : {"n = 1\nm = 2; 500 n = 3\n", "n = 1\n5001 n = 3\n", "n = 1\n\n"}) {
    obstacles.clear();
    EXPECT_EQ(insert_into(text, false, point, obstacles), text);
    EXPECT_EQ(obstacles.size(), 1U) << text;
  }
}

TEST(Insert, BehindAMacroThatIsTheLastOfTheHeader) {
  std::vector<const Point*> obstacles;
  const Point point{.number = 1, .line = 1, .column = 11, .arguments = {}, .dummies = {}, .code = {}, .dead = {}};
  EXPECT_EQ(insert_into("do i = 1, STEPS  ! all\nend do\n", false, point, obstacles),
            "do i = 1, STEPS  ! all\n      call cppc_point_1\n# 2 \"a.f90\"\nend do\n");
  EXPECT_TRUE(obstacles.empty());
}

/// Descriptors can only be handed to what is declared.
TEST(Insert, WithAnInterface) {
  std::vector<const Point*> obstacles;
  const Point point{.number = 3,
                    .line = 1,
                    .column = 2,
                    .arguments = {"own%field", "n"},
                    .dummies = {{"REAL(8), allocatable", "(:, :)"}, {"type(*)", ""}},
                    .has_interface = true,
                    .code = {},
                    .dead = {}};
  EXPECT_EQ(insert_into("do\nend do\n", false, point, obstacles),
            "do\n      block\n      interface\n      subroutine cppc_point_3(a0, a1)\n"
            "      REAL(8), allocatable, intent(in) :: a0(:, :)\n      type(*), intent(in) :: a1\n"
            "      end subroutine\n      end interface\n      call cppc_point_3(own%field, n)\n      end block\n"
            "# 2 \"a.f90\"\nend do\n");
}

/// Columns behind the 72nd are a comment.
TEST(Insert, FixedFormWithNumbersAtTheEnd) {
  std::vector<const Point*> obstacles;
  const Point point{.number = 1, .line = 1, .column = 18, .arguments = {}, .dummies = {}, .code = {}, .dead = {}};
  const std::string header = "      do i = 1, 10" + std::string(54, ' ') + "00010";
  EXPECT_EQ(insert_into(header + "\n      end do\n", true, point, obstacles),
            header + "\n      call cppc_point_1\n# 2 \"a.f\"\n      end do\n");
  EXPECT_TRUE(obstacles.empty());
}

}  // namespace
}  // namespace cppc::rewrite::fortran
