# cppc_add_mpi_test(NAME name COMMAND target-or-program [argument...] RANKS n...)
#
# Registers one test per number of ranks, `name.n`: the command under mpirun, on as few cores as there are. The test
# passes when every rank exits with 0.
function(cppc_add_mpi_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME" "COMMAND;RANKS")
  list(POP_FRONT test_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  foreach(ranks IN LISTS test_RANKS)
    add_test(
      NAME ${test_NAME}.${ranks}
      COMMAND ${MPIEXEC_EXECUTABLE} -n ${ranks} ${program} ${test_COMMAND}
    )
    cppc_set_mpi_environment(${test_NAME}.${ranks} ${ranks})
  endforeach()
endfunction()

# Makes the mpirun of a registered test, directly or in a script, work as any user and with `ranks` on fewer cores.
# Windows are those of cppc-run. A hang ends the test; nothing else depends on the time limit. Open MPI leaks by itself, in plug-ins that are gone when
# the sanitizer reports, so leaks of an MPI program cannot be told apart.
function(cppc_set_mpi_environment test ranks)
  set(environment
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none
    OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_osc=^rdma,ucx
    ASAN_OPTIONS=detect_leaks=0
  )
  set_tests_properties(${test} PROPERTIES
    PROCESSORS ${ranks}
    TIMEOUT 900
    ENVIRONMENT "${environment}"
  )
endfunction()
