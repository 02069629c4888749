/* Globals, a heap array, and two functions on the path to the safe point. */
#include <stdio.h>

#include "programs.h"

enum { POINTS = 1000, STEPS = 8 };

struct config {
  char mode;
  int scale;
  double offset;
};
static const cppc_field config_fields[] = {
    FIELD(config, mode, cppc_type_char, 1),
    FIELD(config, scale, cppc_type_int, 1),
    FIELD(config, offset, cppc_type_double, 1),
};
static const cppc_type config_type = STRUCTURE(config);

static struct config config;
static double table[16];
static long visits;
static double* shared; /* a global that points to the heap */

struct relax_shadow {
  double* grid;
  int step;
  double sum;
};
static const cppc_field relax_shadow_fields[] = {
    FIELD(relax_shadow, grid, cppc_type_pointer, 1),
    FIELD(relax_shadow, step, cppc_type_int, 1),
    FIELD(relax_shadow, sum, cppc_type_double, 1),
};
static const cppc_type relax_shadow_type = STRUCTURE(relax_shadow);
static const cppc_place relax_places[] = {{&relax_shadow_type, NULL, 0}};
static const cppc_routine relax_routine = ROUTINE("relax", relax_places);

static double relax(double* grid) {
  int step = 0;
  double sum = 0;
  struct relax_shadow live = {0};
  cppc_frame frame;
  if (cppc_enter(&frame, &relax_routine, &live) == 1) goto resume_1;
  for (; step < STEPS; ++step) {
    if (cppc_safe_point(1)) {
      live.grid = grid, live.step = step, live.sum = sum;
    resume_1:
      cppc_stop(&frame, 1);
      grid = live.grid, step = live.step, sum = live.sum;
    }
    for (int i = 1; i < POINTS - 1; ++i) grid[i] = (grid[i - 1] + grid[i + 1]) / 2 + table[i % 16] * config.scale;
    sum += grid[POINTS / 2] + config.offset;
    ++visits;
  }
  cppc_leave(&frame);
  return sum;
}

struct grid_shadow {
  double* grid;
};
static const cppc_field grid_shadow_fields[] = {FIELD(grid_shadow, grid, cppc_type_pointer, 1)};
static const cppc_type grid_shadow_type = STRUCTURE(grid_shadow);
static const cppc_place grid_places[] = {{&grid_shadow_type, NULL, 0}};
static const cppc_routine grid_routine = ROUTINE("run_grid", grid_places);

static const cppc_global globals[] = {
    {"config", &config, &config_type, 1},
    {"table", table, &cppc_type_double, 16},
    {"grid.c:visits", &visits, &cppc_type_long, 1},
    {"shared", &shared, &cppc_type_pointer, 1},
};

void run_grid(const char* variant) {
  (void)variant;
  declare_globals(globals, sizeof globals / sizeof *globals);
  double* grid = NULL;
  struct grid_shadow live = {0};
  cppc_frame frame;
  if (cppc_enter(&frame, &grid_routine, &live) == 1) goto resume_1;
  config = (struct config){'x', 3, 0.125};
  for (int i = 0; i < 16; ++i) table[i] = i / 16.0;
  shared = grid = cppc_calloc(&cppc_type_double, POINTS, sizeof *grid);
  grid[0] = 100;
  live.grid = grid;
  cppc_at(&frame, 1);
  if (0) {
  resume_1:
    cppc_resumed(&frame);
    grid = live.grid;
  }
  const double sum = relax(grid);
  printf("%.17g %ld %c %d %d\n", sum, visits, config.mode, config.scale, shared == grid);
  for (int i = 0; i < POINTS; i += 97) printf("%.17g ", grid[i]);
  cppc_free(grid);
  cppc_leave(&frame);
}
