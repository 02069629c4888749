/* Forces between atoms that are closer than a cutoff. */
#pragma once

#include <mpi.h>

#include "md_atoms.h"
#include "md_cells.h"

/* What two atoms do to each other; both functions and the force vanish at the cutoff, so that energy is conserved. */
struct potential {
  const char* name;
  double cutoff;
  double (*energy)(double distance);
  double (*force)(double distance); /* positive: away from each other */
};

/* "lj" (Lennard-Jones, with the force shifted) or "soft" (a cosine); NULL if there is none of that name. */
const struct potential* find_potential(const char* name);

/* Computes the force on each own atom, with the ghosts' help, and returns the own share of the potential energy.
 * Collective. */
double compute_forces(struct atoms* atoms, const struct slab* slab, struct cells* cells,
                      const struct potential* potential);
