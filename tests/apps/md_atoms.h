/* The atoms of md.c, and how they move between the ranks. The box is periodic and cut into slabs along x, one for each
 * rank; a rank owns the atoms in its slab. */
#pragma once

#include <stddef.h>

struct vector {
  double x, y, z;
};

struct atom {
  struct vector position, velocity, force;
  int id; /* from 0, through all ranks */
};

struct slab {
  int rank, ranks;
  int left, right;   /* ranks */
  double begin, end; /* along x */
  struct vector box; /* the lengths of the box, whose corner is at the origin */
};

struct atoms {
  int count, room;
  struct atom* atom;
};

/* The positions of other ranks' atoms near the slab, as seen from here: they may lie outside the box. */
struct ghosts {
  int count;
  struct vector* position;
};

/* Ends the program if there is no memory. */
void* xmalloc(size_t count, size_t size);

/* Makes room for at least one more. Invalidates pointers to atoms. */
void add_atom(struct atoms* atoms, const struct atom* atom);

/* Puts every atom back into the box, and hands over those that have left the slab: at most by a slab's width, in x.
 * Then forces and the order are lost. Collective. */
void exchange_atoms(struct atoms* atoms, const struct slab* slab);

/* The ghosts within `reach` of the slab, which is at most its width, for release_ghosts(). Collective. */
struct ghosts exchange_ghosts(const struct atoms* atoms, const struct slab* slab, double reach);
void release_ghosts(struct ghosts* ghosts);
