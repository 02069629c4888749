# find_package(cppc): the target cppc::cppc is libcppc. A program names it before MPI.
include(CMakeFindDependencyMacro)
find_dependency(MPI COMPONENTS C)
include(${CMAKE_CURRENT_LIST_DIR}/cppcTargets.cmake)
