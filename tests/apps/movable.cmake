# add_movable(NAME): the program NAME of this folder, built twice from the same sources with the same options for each
# variant COMPILER-LEVEL:
#   bin/plain/VARIANT/NAME     by mpicc
#   bin/movable/VARIANT/NAME   by cppc-cc --portable; what it translated and its report.json are in
#                              tests/apps/translated/VARIANT/NAME
# The default build has gcc-O2 only, the target movable-all has all variants.
find_program(GCC gcc REQUIRED)
find_program(CLANG clang-19 REQUIRED)
find_program(MPICC mpicc REQUIRED)
set(movable_with_gcc ${GCC})
set(movable_with_clang-19 ${CLANG})
set(movable_variants gcc-O2 gcc-O3 clang-19-O2 clang-19-O3)
add_custom_target(movable ALL)
add_custom_target(movable-all)

function(add_movable name)
  get_target_property(sources ${name} SOURCES)
  set(tables ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_DATADIR}/cppc/c.toml
             ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_DATADIR}/cppc/mpi.toml)
  file(GLOB headers CONFIGURE_DEPENDS *.h blocks/*.h)
  foreach(variant IN LISTS movable_variants)
    string(REGEX MATCH "^(.*)-(O.)$" matched ${variant})
    set(compiler ${movable_with_${CMAKE_MATCH_1}})
    set(options -${CMAKE_MATCH_2} -Wall -Wextra ${CPPC_SANITIZE_OPTIONS} ${sources} -lm)
    set(plain ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/plain/${variant}/${name})
    set(movable ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/movable/${variant}/${name})
    set(kept ${CMAKE_CURRENT_BINARY_DIR}/translated/${variant})
    file(MAKE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/plain/${variant}
         ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/movable/${variant})
    add_custom_command(OUTPUT ${plain}
      COMMAND ${CMAKE_COMMAND} -E env OMPI_CC=${compiler} ${MPICC} -o ${plain} ${options}
      DEPENDS ${sources} ${headers}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_command(OUTPUT ${movable} ${kept}/${name}/report.json
      COMMAND ${CMAKE_COMMAND} -E env CPPC_CC=${compiler} CPPC_KEEP=${kept} $<TARGET_FILE:cppc-cc> --portable
              -o ${movable} ${options}
      DEPENDS ${sources} ${headers} cppc-cc cppc-translator cppc cppc_public_headers ${tables}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(movable-${variant}-${name} DEPENDS ${plain} ${movable})
    add_dependencies(movable-all movable-${variant}-${name})
  endforeach()
  list(GET movable_variants 0 default)
  add_dependencies(movable movable-${default}-${name})
endfunction()
