/// The runtime's last error, for whoever has to say why something failed.
#pragma once

#include <span>

namespace cppc {

/// The last one that was logged since the process began, or since forget_errors(), as far as there is room (at least a
/// byte), ended by 0: empty when there was none. Any thread.
void last_error(std::span<char> out);

void forget_errors();

}  // namespace cppc
