/* Linked cells: lists of the atoms and ghosts in each of the cells that a slab and its surroundings are cut into, no
 * narrower than the cutoff, so that an atom's neighbours are in its cell and the 26 around it. */
#pragma once

#include "md_atoms.h"

struct cells {
  int columns, rows, layers; /* along x, with one for ghosts at either end, y and z, both periodic */
  struct vector inverse;     /* of the sizes of a cell */
  double begin;              /* along x, of the first column */
  int* head;                 /* per cell: the first particle, or -1 */
  int* next;                 /* per particle: the next one in its cell, or -1 */
};

/* Cells for a slab whose box is at least three cutoffs wide along y and z, without any particles. */
struct cells make_cells(const struct slab* slab, double cutoff);
void release_cells(struct cells* cells);

/* Fills the lists: atoms have the numbers from 0, ghosts those after them. Between the two calls next[] exists. */
void sort_particles(struct cells* cells, const struct atoms* atoms, const struct ghosts* ghosts);
void forget_particles(struct cells* cells);

/* The heads of the lists of the 27 cells around a position in the slab. */
void find_heads(const struct cells* cells, struct vector position, int heads[27]);
