/// For programs that are no C++: nobody is replaced.
#include "test_world.hpp"

namespace cppc::test {

const int moved_rank = -1;

}  // namespace cppc::test
