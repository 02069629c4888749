# Programs whose process ends in the middle, and which go on in another one.
add_executable(process_state_program
  ${CMAKE_CURRENT_LIST_DIR}/programs/exit_programs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/library_programs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/main.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/system_programs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/thread_programs.cpp
  "$<FILTER:$<FILTER:$<TARGET_OBJECTS:cppc-core>,INCLUDE,/unity_process_|/address/(process/|(preload|program_stack|program_time|carried_objects|elf_object|object_data|symbols)[.])|/src/(log|pages|memory_map|address_ranges|grown_file)[.]>,EXCLUDE,/stacks[.]>"
  "$<FILTER:$<TARGET_OBJECTS:cppc-mpi>,INCLUDE,/c_library/random[.]>"
)
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/programs/thread_programs.cpp PROPERTIES COMPILE_OPTIONS -fopenmp)
# Of the runtime that part alone: neither its heap nor MPI.
target_include_directories(process_state_program PRIVATE $<TARGET_PROPERTY:cppc-core,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(process_state_program PRIVATE cppc::status cppc::logging tl::expected ${CMAKE_DL_LIBS})
# As libcppc would, they have the functions in place of the C library's that libraries call, too.
set_target_properties(process_state_program PROPERTIES ENABLE_EXPORTS ON)
# Their code lies at the same addresses in both; the heap is one of their own.
target_link_options(process_state_program PRIVATE -no-pie -fopenmp)

add_executable(address_process_test
  ${CMAKE_CURRENT_LIST_DIR}/c_library_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/environment_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/exit_handlers_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/floating_point_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/keys_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/limits_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/processor_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/signals_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/threads_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/timers_test.cpp
)
set_target_properties(address_process_test PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
target_compile_definitions(address_process_test PRIVATE PROCESS_PROGRAM="$<TARGET_FILE:process_state_program>")
target_link_libraries(address_process_test PRIVATE
  cppc-core cppc-mpi cppc::status cppc_test_support GTest::gtest_main
)
add_dependencies(address_process_test process_state_program)
gtest_discover_tests(address_process_test TEST_PREFIX cppc-runtime/address/process/ NO_PRETTY_VALUES)
