# cppc_add_fuzz(NAME name SOURCES source... LIBRARIES library... RUNS n [ENVIRONMENT setting...])
#
# A parser under fuzz (support/fuzz/fuzz.hpp). With the preset fuzz: a program that tests/fuzz runs. Otherwise the test
# fuzz/name, of `n` inputs.
if(CPPC_FUZZ)
  add_custom_target(fuzzers)
  add_library(cppc_fuzz OBJECT support/fuzz/initialize.cpp)
else()
  add_library(cppc_fuzz OBJECT support/fuzz/bounded.cpp)
endif()
target_include_directories(cppc_fuzz PUBLIC support/fuzz)

function(cppc_add_fuzz)
  cmake_parse_arguments(PARSE_ARGV 0 fuzz "" "NAME;RUNS" "SOURCES;LIBRARIES;ENVIRONMENT")
  set(program fuzz_${fuzz_NAME})
  add_executable(${program} ${fuzz_SOURCES})
  target_link_libraries(${program} PRIVATE cppc_fuzz ${fuzz_LIBRARIES})
  if(CPPC_FUZZ)
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${program} PROPERTIES OUTPUT_NAME ${fuzz_NAME}
                                                RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
    add_dependencies(fuzzers ${program})
  else()
    add_test(NAME fuzz/${fuzz_NAME} COMMAND ${program} ${fuzz_RUNS})
    set_tests_properties(fuzz/${fuzz_NAME} PROPERTIES LABELS fuzz TIMEOUT 300 ENVIRONMENT "${fuzz_ENVIRONMENT}")
  endif()
endfunction()
