/// Who gets the program's calls of MPI: first profiling tools, then libcppc, then MPI. Tools call PMPI_ functions,
/// which are MPI's own; under an extension they get libcppc's instead, as only they know the program's handles. Calls
/// within MPI and its plugins stay as they are. All this is done, and what cannot be is refused, before the program
/// begins.
#pragma once

namespace cppc {

/// Whether the program finds `function`, which libcppc replaces, in another library.
bool taken(const char* function);

}  // namespace cppc
