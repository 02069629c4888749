# The programs in C++ and Fortran: bin/NAME, for plain mpirun, and by movable.cmake.
enable_language(Fortran)
find_package(MPI REQUIRED COMPONENTS C Fortran)
pkg_check_modules(HDF5_MPI REQUIRED IMPORTED_TARGET hdf5-openmpi)
find_library(FFTW_MPI_LIBRARY fftw3_mpi REQUIRED)

# What the programs share, and the library of `mixed`.
add_library(app_c OBJECT hold.c options.c result.c)
add_library(app_fortran_c OBJECT fortran/support.c)
add_library(mixed_library OBJECT fortran/mixed_library.cpp)
foreach(library app_c app_fortran_c mixed_library)
  target_link_libraries(${library} PRIVATE MPI::MPI_C)
endforeach()

# add_cpp_app(NAME [VARIANTS variant...] [OPTIONS option...] [LIBRARIES library...]): the program cpp/NAME.cpp
function(add_cpp_app name)
  cmake_parse_arguments(PARSE_ARGV 1 app "" "" "VARIANTS;OPTIONS;LIBRARIES")
  add_executable(${name} cpp/${name}.cpp)
  target_compile_options(${name} PRIVATE -O2 ${app_OPTIONS})
  target_link_options(${name} PRIVATE ${app_OPTIONS})
  target_link_libraries(${name} PRIVATE app_c MPI::MPI_C ${app_LIBRARIES})
  add_movable(${name} LANGUAGE CXX VARIANTS ${app_VARIANTS} SOURCES cpp/${name}.cpp OBJECTS app_c
              OPTIONS ${app_OPTIONS} LIBRARIES ${app_LIBRARIES})
endfunction()

# add_fortran_app(NAME SOURCES file... [OBJECTS library...] [LIBRARIES library...]): files of the folder fortran; they
# use the modules of those before them.
function(add_fortran_app name)
  cmake_parse_arguments(PARSE_ARGV 1 app "" "" "SOURCES;OBJECTS;LIBRARIES")
  list(TRANSFORM app_SOURCES PREPEND fortran/)
  list(APPEND app_OBJECTS app_c app_fortran_c)
  add_executable(${name} ${app_SOURCES})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE Fortran
                        Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules/${name})
  # mpif.h defines parameters that no program uses all of
  target_compile_options(${name} PRIVATE -O2 -Wno-unused-parameter)
  target_link_libraries(${name} PRIVATE ${app_OBJECTS} MPI::MPI_Fortran MPI::MPI_C ${app_LIBRARIES})
  add_movable(${name} LANGUAGE Fortran VARIANTS gcc-O2 gcc-O3 SOURCES ${app_SOURCES} OBJECTS ${app_OBJECTS}
              LIBRARIES ${app_LIBRARIES})
endfunction()

add_cpp_app(alone)
add_cpp_app(halves)
add_cpp_app(particles)
add_cpp_app(wave)
add_cpp_app(stencil_omp VARIANTS gcc-O2 gcc-O3 OPTIONS -fopenmp)
add_cpp_app(spectral LIBRARIES ${FFTW_MPI_LIBRARY} -lfftw3)
list(TRANSFORM HDF5_MPI_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE hdf5_options)
add_cpp_app(h5steps OPTIONS ${hdf5_options} LIBRARIES ${HDF5_MPI_LINK_LIBRARIES})

add_fortran_app(cg_f90 SOURCES app.f90 nas_random.f90 cg_matrix.f90 cg_f90.f90)
add_fortran_app(mg_f90 SOURCES app.f90 nas_random.f90 mg_blocks.f90 mg_f90.f90)
add_fortran_app(ft_f90 SOURCES app.f90 nas_random.f90 ft_lines.f90 ft_f90.f90)
add_fortran_app(ep_f90 SOURCES app.f90 nas_random.f90 ep_f90.f90)
add_fortran_app(adi_f77 SOURCES app.f90 app_f77.f90 adi_f77.f adi_rhs.f adi_solve.f)
add_fortran_app(wave_f77 SOURCES app.f90 app_f77.f90 wave_f77.f)
add_fortran_app(wave_f90 SOURCES app.f90 wave_f90.f90)
add_fortran_app(ft_f77 SOURCES app.f90 app_f77.f90 ft_f77.f)
add_fortran_app(mixed SOURCES app.f90 mixed.f90 OBJECTS mixed_library LIBRARIES -lstdc++)

# The program fortran/ft_f77.f as f2c translates it: bin/plain/gcc-O2/ft_f2c by mpicc, bin/movable/gcc-O2/ft_f2c by
# cppc-cc; with -O3 likewise.
find_program(F2C f2c REQUIRED)
set(translated ${CMAKE_CURRENT_BINARY_DIR}/f2c)
file(MAKE_DIRECTORY ${translated})
add_custom_command(OUTPUT ${translated}/ft_f77.c
  COMMAND ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/cppc-mpif > mpif.h
  COMMAND ${F2C} -A -w -I. ${CMAKE_CURRENT_SOURCE_DIR}/fortran/ft_f77.f
  DEPENDS fortran/ft_f77.f
  WORKING_DIRECTORY ${translated} VERBATIM)
add_custom_target(translated-ft_f77 DEPENDS ${translated}/ft_f77.c)
set(sources ${translated}/ft_f77.c fortran/app_f2c.c hold.c options.c result.c)
foreach(level O2 O3)
  foreach(kind plain movable)
    set(program ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${kind}/gcc-${level}/ft_f2c)
    set(driver OMPI_CC=${GCC} ${MPICC})
    set(needed)
    if(kind STREQUAL movable)
      set(driver CPPC_CC=${GCC} $<TARGET_FILE:cppc-cc>)
      set(needed cppc-cc cppc-translator cppc cppc_public_headers)
    endif()
    add_custom_command(OUTPUT ${program}
      COMMAND ${CMAKE_COMMAND} -E env ${driver} -o ${program} -${level} ${aligned} -w ${sources} -lmpi_mpifh -lf2c -lm
      DEPENDS ${sources} hold.h options.h result.h ${needed}
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} VERBATIM)
    add_custom_target(${kind}-gcc-${level}-ft_f2c DEPENDS ${program})
    add_dependencies(${kind}-gcc-${level}-ft_f2c translated-ft_f77)
    add_dependencies(movable-all ${kind}-gcc-${level}-ft_f2c)
    if(level STREQUAL O2)
      add_dependencies(movable ${kind}-gcc-${level}-ft_f2c)
    endif()
  endforeach()
endforeach()
