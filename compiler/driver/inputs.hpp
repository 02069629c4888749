/// What the files tell that a link is made of, before or after it.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"
#include "process.hpp"
#include "wrapper.hpp"

namespace cppc::driver {

/// Sources, objects, archives and shared libraries on the command line, those too that -l finds in the directories of
/// -L or in `directories`.
std::vector<std::string> input_files(const CommandLine& line, const std::vector<std::string>& directories);

/// Where the compiler looks for libraries; nothing when it does not say.
std::vector<std::string> compiler_directories(const Wrapper& wrapper, Runner& runner);

/// Where the compiler has headers of its own, omp.h for one; empty when it does not say.
std::string compilers_headers(const Wrapper& wrapper, Runner& runner);

/// Whether MPI's names are in one of `files`, be it in a comment: a guess that costs little.
bool mention_mpi(const std::vector<std::string>& files);

/// Whether one of the shared libraries among `files`, MPI's and libcppc apart, calls MPI.
bool library_calls_mpi(const std::vector<std::string>& files);

/// Whether one of the shared libraries among `files`, MPI's and libcppc apart, wants another one whose name begins so.
bool library_wants(const std::vector<std::string>& files, const std::string& name);

/// Whether one of them uses names of the C++ library and leaves it to the program to have one.
bool library_leaves_cxx_open(const std::vector<std::string>& files);

/// Whether one of `files`, MPI's and libcppc apart, mentions dlopen(), be it in a comment.
bool open_libraries(const std::vector<std::string>& files);

/// What to do about sources in a language whose runtime this link does not have; empty when there are none.
std::string wrong_sources(const CommandLine& line, const Wrapper& wrapper);

/// The same about objects, for a link that has failed.
std::string wrong_objects(const CommandLine& line, const Wrapper& wrapper);

}  // namespace cppc::driver
