/// What fmt formats by, of which its headers have a definition only: without this declaration every source that logs
/// compiles it again, which takes 4 s each. fmt_and_spdlog.cpp has it. Included by the command line, before fmt's
/// users.
#pragma once

#include <fmt/format.h>

extern template void fmt::detail::vformat_to(buffer<char>&, fmt::string_view,
                                             basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
