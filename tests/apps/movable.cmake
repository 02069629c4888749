# add_movable(NAME): the program NAME of this folder, built three times from the same sources with the same options for
# each variant COMPILER-LEVEL:
#   bin/plain/VARIANT/NAME        by mpicc
#   bin/by-address/VARIANT/NAME   by cppc-cc
#   bin/movable/VARIANT/NAME      by cppc-cc --portable; what it translated and its report.json are in
#                                 tests/apps/translated/VARIANT/NAME
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
    set(by_address ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/by-address/${variant}/${name})
    set(needed cppc-cc cppc-translator cppc cppc_public_headers ${tables})
    set(kept ${CMAKE_CURRENT_BINARY_DIR}/translated/${variant})
    foreach(kind plain movable by-address)
      file(MAKE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${kind}/${variant})
    endforeach()
    add_custom_command(OUTPUT ${plain}
      COMMAND ${CMAKE_COMMAND} -E env OMPI_CC=${compiler} ${MPICC} -o ${plain} ${options}
      DEPENDS ${sources} ${headers}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_command(OUTPUT ${movable} ${kept}/${name}/report.json
      COMMAND ${CMAKE_COMMAND} -E env CPPC_CC=${compiler} CPPC_KEEP=${kept} $<TARGET_FILE:cppc-cc> --portable
              -o ${movable} ${options}
      DEPENDS ${sources} ${headers} ${needed}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_command(OUTPUT ${by_address}
      COMMAND ${CMAKE_COMMAND} -E env CPPC_CC=${compiler} $<TARGET_FILE:cppc-cc> -o ${by_address} ${options}
      DEPENDS ${sources} ${headers} ${needed}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
      COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(movable-${variant}-${name} DEPENDS ${plain} ${movable} ${by_address})
    add_dependencies(movable-all movable-${variant}-${name})
  endforeach()
  list(GET movable_variants 0 default)
  add_dependencies(movable movable-${default}-${name})
endfunction()

# add_movable_by_address(NAME LANGUAGE CXX|Fortran [VARIANTS variant...] SOURCES file... [OBJECTS library...]
#                        [OPTIONS option...] [LIBRARIES option...])
#
# The same for a program by mpicxx and cppc-c++ or by mpifort and cppc-fc, which both folders have: its state is always
# kept by address. The objects are of CMake's object libraries. Files of modules are in a folder of each build's own.
find_program(GXX g++ REQUIRED)
find_program(CLANGXX clang++-19 REQUIRED)
find_program(GFORTRAN gfortran REQUIRED)
find_program(MPICXX mpicxx REQUIRED)
find_program(MPIFORT mpifort REQUIRED)
set(CXX_with_gcc ${GXX})
set(CXX_with_clang-19 ${CLANGXX})
set(Fortran_with_gcc ${GFORTRAN})
set(CXX_plain ${MPICXX})
set(CXX_movable cppc-c++)
set(CXX_variable CXX)
set(CXX_options -std=c++20 -DOMPI_SKIP_MPICXX -Wall -Wextra)
set(Fortran_plain ${MPIFORT})
set(Fortran_movable cppc-fc)
set(Fortran_variable FC)
set(Fortran_options -Wall)

function(add_movable_by_address name)
  cmake_parse_arguments(PARSE_ARGV 1 app "" "LANGUAGE" "VARIANTS;SOURCES;OBJECTS;OPTIONS;LIBRARIES")
  set(language ${app_LANGUAGE})
  set(wrapper ${${language}_movable})
  file(GLOB headers CONFIGURE_DEPENDS *.h cpp/*.hpp)
  set(objects)
  foreach(library IN LISTS app_OBJECTS)
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  foreach(variant IN LISTS app_VARIANTS)
    string(REGEX MATCH "^(.*)-(O.)$" matched ${variant})
    set(level -${CMAKE_MATCH_2})
    set(compiler ${${language}_with_${CMAKE_MATCH_1}})
    file(MAKE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/by-address/${variant})
    file(CREATE_LINK ../../movable/${variant}/${name} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/by-address/${variant}/${name}
         SYMBOLIC)
    foreach(kind plain movable)
      set(program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${kind}/${variant}/${name})
      set(modules ${CMAKE_CURRENT_BINARY_DIR}/modules/${kind}/${variant}/${name})
      file(MAKE_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${kind}/${variant} ${modules})
      set(options ${level} ${${language}_options} ${CPPC_SANITIZE_OPTIONS} ${app_OPTIONS})
      if(language STREQUAL Fortran)
        list(APPEND options -J${modules})
      endif()
      if(kind STREQUAL plain)
        set(driver OMPI_${${language}_variable}=${compiler} ${${language}_plain})
        set(needed)
      else()
        set(driver CPPC_${${language}_variable}=${compiler} $<TARGET_FILE_DIR:cppc-cc>/${wrapper})
        set(needed cppc-cc cppc cppc_public_headers)
        if(TARGET ${wrapper})
          list(APPEND needed ${wrapper})
        endif()
      endif()
      add_custom_command(OUTPUT ${program}
        COMMAND ${CMAKE_COMMAND} -E env ${driver} -o ${program} ${options} ${app_SOURCES} ${objects} ${app_LIBRARIES}
        DEPENDS ${app_SOURCES} ${headers} ${app_OBJECTS} ${objects} ${needed}
        WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
        COMMAND_EXPAND_LISTS VERBATIM)
      add_custom_target(${kind}-${variant}-${name} DEPENDS ${program})
      add_dependencies(movable-all ${kind}-${variant}-${name})
      if(variant STREQUAL gcc-O2)
        add_dependencies(movable ${kind}-${variant}-${name})
      endif()
    endforeach()
  endforeach()
endfunction()
