/// The arguments of main(): strings and the array of pointers to them, which the program may change and point into.
#pragma once

#include "inventory.hpp"

namespace cppc {

/// Makes them objects: the array, with its null at the end, and each string.
void register_arguments(int argc, char** argv);

/// Whether the object of an image is one of them.
bool is_argument(const Object& object);

/// In a replacement: its own arguments are no objects any more.
void forget_arguments();

/// In a replacement: new memory for one of an image, an object from now on. Its own could be of another size: what the
/// program has done to its arguments shows in the command line that the replacement was started with.
std::byte* adopt_argument(const Object& object);

}  // namespace cppc
