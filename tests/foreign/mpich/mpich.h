/// What is known of MPICH where its mpi.h is included (mpich_side.c, objects.c), for the rest of the library, which
/// includes Open MPI's.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Of the constants in constants.def, in their order.
extern const int cppc_mpich_values[];

/// Addresses that stand for something.
extern void* const cppc_mpich_in_place;
extern void* const cppc_mpich_status_ignore;
extern void* const cppc_mpich_statuses_ignore;

/// As large as MPI_Status.
struct cppc_mpich_status {
  int words[5];
};

/// What it says.
struct cppc_status_parts {
  int source, tag, error, cancelled;
  unsigned long long bytes;
};

struct cppc_status_parts cppc_mpich_parts(const struct cppc_mpich_status* status);
struct cppc_mpich_status cppc_mpich_status_of(struct cppc_status_parts parts);

/// Predefined objects: the program's handle is the address, what lies there is MPICH's. A program may have it in its
/// own memory (a copy relocation).
struct cppc_mpich_object {
  const int* handle;
  void* object;
};
extern const struct cppc_mpich_object cppc_mpich_objects[];
extern const unsigned long cppc_mpich_object_count;

#ifdef __cplusplus
}
#endif
