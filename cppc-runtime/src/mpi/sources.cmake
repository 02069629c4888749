# The MPI part of libcppc, and the C library's. A library of its own, since its tests take it without the rest of the
# runtime.
add_library(cppc-mpi OBJECT
  ${CMAKE_CURRENT_LIST_DIR}/../c_library/fortran_units.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../c_library/open_files.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../c_library/random.cpp
  ${CMAKE_CURRENT_LIST_DIR}/../c_library/streams.cpp
  ${CMAKE_CURRENT_LIST_DIR}/attached_buffer.cpp
  ${CMAKE_CURRENT_LIST_DIR}/attributes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/bound_windows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/call.cpp
  ${CMAKE_CURRENT_LIST_DIR}/callbacks.cpp
  ${CMAKE_CURRENT_LIST_DIR}/call_point.cpp
  ${CMAKE_CURRENT_LIST_DIR}/clock.cpp
  ${CMAKE_CURRENT_LIST_DIR}/collective_counts.cpp
  ${CMAKE_CURRENT_LIST_DIR}/comm_table.cpp
  ${CMAKE_CURRENT_LIST_DIR}/communicators.cpp
  ${CMAKE_CURRENT_LIST_DIR}/completion.cpp
  ${CMAKE_CURRENT_LIST_DIR}/datatype_recipe.cpp
  ${CMAKE_CURRENT_LIST_DIR}/datatype_translation.cpp
  ${CMAKE_CURRENT_LIST_DIR}/datatypes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/description.cpp
  ${CMAKE_CURRENT_LIST_DIR}/drain.cpp
  ${CMAKE_CURRENT_LIST_DIR}/environment.cpp
  ${CMAKE_CURRENT_LIST_DIR}/error_codes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/error_handlers.cpp
  ${CMAKE_CURRENT_LIST_DIR}/file_recipe.cpp
  ${CMAKE_CURRENT_LIST_DIR}/files.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fortran.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fortran_arguments.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fortran_handles.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fortran_own.cpp
  ${CMAKE_CURRENT_LIST_DIR}/fortran_requests.cpp
  ${CMAKE_CURRENT_LIST_DIR}/general_requests.cpp
  ${CMAKE_CURRENT_LIST_DIR}/groups.cpp
  ${CMAKE_CURRENT_LIST_DIR}/handles.cpp
  ${CMAKE_CURRENT_LIST_DIR}/infos.cpp
  ${CMAKE_CURRENT_LIST_DIR}/interpose.cpp
  ${CMAKE_CURRENT_LIST_DIR}/kept.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mailbox.cpp
  ${CMAKE_CURRENT_LIST_DIR}/mpi_objects.cpp
  ${CMAKE_CURRENT_LIST_DIR}/node_file.cpp
  ${CMAKE_CURRENT_LIST_DIR}/node_memory.cpp
  ${CMAKE_CURRENT_LIST_DIR}/one_sided.cpp
  ${CMAKE_CURRENT_LIST_DIR}/operation_functions.cpp
  ${CMAKE_CURRENT_LIST_DIR}/operations.cpp
  ${CMAKE_CURRENT_LIST_DIR}/own_attributes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/persistent.cpp
  ${CMAKE_CURRENT_LIST_DIR}/point_to_point.cpp
  ${CMAKE_CURRENT_LIST_DIR}/predefined.cpp
  ${CMAKE_CURRENT_LIST_DIR}/refuse.cpp
  ${CMAKE_CURRENT_LIST_DIR}/requests.cpp
  ${CMAKE_CURRENT_LIST_DIR}/state.cpp
  ${CMAKE_CURRENT_LIST_DIR}/topology.cpp
  ${CMAKE_CURRENT_LIST_DIR}/turns.cpp
  ${CMAKE_CURRENT_LIST_DIR}/type_lists.cpp
  ${CMAKE_CURRENT_LIST_DIR}/window_making.cpp
  ${CMAKE_CURRENT_LIST_DIR}/windows.cpp
  ${CMAKE_CURRENT_LIST_DIR}/withdrawable.cpp
)
set_target_properties(cppc-mpi PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
# Others have the same names for other things; random.cpp is part of a test by itself.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/fortran_requests.cpp ${CMAKE_CURRENT_LIST_DIR}/own_attributes.cpp
  ${CMAKE_CURRENT_LIST_DIR}/predefined.cpp ${CMAKE_CURRENT_LIST_DIR}/../c_library/random.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
target_include_directories(cppc-mpi
  PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/src
)
target_link_libraries(cppc-mpi PUBLIC MPI::MPI_C tl::expected PRIVATE cppc::logging)
target_sources(cppc PRIVATE $<TARGET_OBJECTS:cppc-mpi>)
# A jump less for each call of MPI.
target_compile_options(cppc-mpi PRIVATE -fno-plt)
