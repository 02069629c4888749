/* The Fourier transform kernel of the NAS Parallel Benchmarks, after its specification (NAS report RNR-94-007): a heat
 * equation solved in Fourier space, transformed back after every time step; the official checksums tell whether the
 * result is right.
 *
 * In real space the ranks own planes of equal z, in arrays [z][y][x]; in Fourier space planes of equal y, in arrays
 * [y][x][z]. Between the two the array is transposed, everybody with everybody.
 *
 * Live at the start of a time step: the options; the problem's sizes, rank and number of ranks; the numbers of the
 * repetition and of the step; `spectrum`; the roots of one; the checksums of this repetition so far; the first
 * repetition's digest and how many others differed.
 * Not live: `field`, overwritten in each step; the buffers of the transposition, which exist within it only. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "ft_lines.h"
#include "nas.h"
#include "result.h"

enum { STEPS = 6, CHECKSUM_POINTS = 1024 };

static const char help[] = NAS_HELP("ft", "Fourier transform", "step");

static const uint64_t seed = 314159265;
static const double alpha = 1e-6;
static const double pi = 3.141592653589793;
static const double tolerance = 1e-12;

struct problem {
  int x, y, z;
  struct complex checksums[STEPS];
};
static const struct problem problems[NAS_CLASSES] = {
    [CLASS_S] = {64,
                 64,
                 64,
                 {{5.546087004964e+02, 4.845363331978e+02},
                  {5.546385409189e+02, 4.865304269511e+02},
                  {5.546148406171e+02, 4.883910722336e+02},
                  {5.545423607415e+02, 4.901273169046e+02},
                  {5.544255039624e+02, 4.917475857993e+02},
                  {5.542683411902e+02, 4.932597244941e+02}}},
    [CLASS_W] = {128,
                 128,
                 32,
                 {{5.673612178944e+02, 5.293246849175e+02},
                  {5.631436885271e+02, 5.282149986629e+02},
                  {5.594024089970e+02, 5.270996558037e+02},
                  {5.560698047020e+02, 5.260027904925e+02},
                  {5.530898991250e+02, 5.249400845633e+02},
                  {5.504159734538e+02, 5.239212247086e+02}}},
    [CLASS_A] = {256,
                 256,
                 128,
                 {{5.046735008193e+02, 5.114047905510e+02},
                  {5.059412319734e+02, 5.098809666433e+02},
                  {5.069376896287e+02, 5.098144042213e+02},
                  {5.077892868474e+02, 5.101336130759e+02},
                  {5.085233095391e+02, 5.104914655194e+02},
                  {5.091487099959e+02, 5.107917842803e+02}}},
};

static const struct problem* size;
static int rank, ranks;
static int own_y, own_z;         /* planes of each rank */
static long points;              /* of each rank */
static struct complex* spectrum; /* at the start, in Fourier space */
static struct complex* field;    /* in either space */

static struct complex* allocate(void) {
  struct complex* memory = (struct complex*)malloc((size_t)points * sizeof(struct complex));
  if (memory == NULL) {
    fprintf(stderr, "ft: no memory for %ld complex numbers; take more ranks\n", points);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* ---- Transforms ---- */

/* Sends block i of each rank to rank i. For free(). */
static struct complex* swap_blocks(const struct complex* packed) {
  struct complex* received = allocate();
  const int count = (int)(2 * points / ranks);
  MPI_Alltoall(packed, count, MPI_DOUBLE, received, count, MPI_DOUBLE, MPI_COMM_WORLD);
  return received;
}

/* From [own z][y][x] to [own y][x][z]; the blocks between two ranks are [own y][x][own z]. */
static void transpose_to_fourier(struct complex* data) {
  struct complex* packed = allocate();
  for (int z = 0; z < own_z; ++z) {
    const struct complex* plane = data + (long)z * size->y * size->x;
    for (long i = 0; i < (long)size->y * size->x; ++i) packed[i * own_z + z] = plane[i];
  }
  struct complex* received = swap_blocks(packed);
  const long lines = (long)own_y * size->x;
  for (int from = 0; from < ranks; ++from) {
    const struct complex* block = received + from * lines * own_z;
    for (long line = 0; line < lines; ++line) {
      for (int z = 0; z < own_z; ++z) data[line * size->z + from * own_z + z] = block[line * own_z + z];
    }
  }
  free(received);
  free(packed);
}

/* And back. */
static void transpose_from_fourier(struct complex* data) {
  struct complex* packed = allocate();
  const long lines = (long)own_y * size->x;
  for (int to = 0; to < ranks; ++to) {
    struct complex* block = packed + to * lines * own_z;
    for (long line = 0; line < lines; ++line) {
      for (int z = 0; z < own_z; ++z) block[line * own_z + z] = data[line * size->z + to * own_z + z];
    }
  }
  struct complex* received = swap_blocks(packed);
  for (int z = 0; z < own_z; ++z) {
    struct complex* plane = data + (long)z * size->y * size->x;
    for (long i = 0; i < (long)size->y * size->x; ++i) plane[i] = received[i * own_z + z];
  }
  free(received);
  free(packed);
}

static void transform_x(struct complex* data, enum fft_direction direction) {
  transform(data, (struct lines){own_z * size->y, size->x, size->x, 1}, direction);
}

static void transform_y(struct complex* data, enum fft_direction direction) {
  for (int z = 0; z < own_z; ++z) {
    transform(data + (long)z * size->y * size->x, (struct lines){size->x, size->y, 1, size->x}, direction);
  }
}

static void transform_z(struct complex* data, enum fft_direction direction) {
  transform(data, (struct lines){own_y * size->x, size->z, size->z, 1}, direction);
}

/* ---- The steps ---- */

/* Random numbers in real space, transformed. */
static void make_spectrum(void) {
  uint64_t state = nas_skip(seed, (uint64_t)(2 * points * rank));
  for (long i = 0; i < points; ++i) {
    spectrum[i].re = nas_random(&state);
    spectrum[i].im = nas_random(&state);
  }
  transform_x(spectrum, FORWARD);
  transform_y(spectrum, FORWARD);
  transpose_to_fourier(spectrum);
  transform_z(spectrum, FORWARD);
}

/* How much of each frequency, from `first` on in one direction, is left at a time. */
static void compute_decay(double* decay, int count, int first, int length, int time) {
  for (int i = 0; i < count; ++i) {
    const int index = first + i;
    const int frequency = index < length / 2 ? index : index - length;
    decay[i] = exp(-4 * alpha * pi * pi * frequency * frequency * time);
  }
}

/* Sets the field to the spectrum at a time. */
static void evolve(int time) {
  double decay_x[size->x], decay_y[own_y], decay_z[size->z];
  compute_decay(decay_x, size->x, 0, size->x, time);
  compute_decay(decay_y, own_y, rank * own_y, size->y, time);
  compute_decay(decay_z, size->z, 0, size->z, time);

  for (long i = 0; i < points; ++i) field[i] = spectrum[i];
  struct complex* next = field;
  for (int y = 0; y < own_y; ++y) {
    for (int x = 0; x < size->x; ++x) {
      const double decay = decay_y[y] * decay_x[x];
      for (int z = 0; z < size->z; ++z, ++next) {
        next->re *= decay * decay_z[z];
        next->im *= decay * decay_z[z];
      }
    }
  }
}

/* The sum of some points of the field in real space, divided by the number of all points. */
static struct complex checksum(void) {
  double sum[2] = {0, 0};
  for (int j = 1; j <= CHECKSUM_POINTS; ++j) {
    const int x = j % size->x, y = 3 * j % size->y, z = 5 * j % size->z - rank * own_z;
    if (z < 0 || z >= own_z) continue;
    const struct complex* point = &field[((long)z * size->y + y) * size->x + x];
    sum[0] += point->re;
    sum[1] += point->im;
  }
  MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double all_points = (double)points * ranks;
  return (struct complex){sum[0] / all_points, sum[1] / all_points};
}

/* All steps, the `repetition`-th time. Leaves the last one's result in the field. */
static void run(const struct nas_options* options, long repetition, struct complex* checksums) {
  for (int step = 0; step < STEPS; ++step) {
    hold_at(&options->hold, rank, repetition * STEPS + step);
    evolve(step + 1);
    transform_z(field, BACKWARD);
    transpose_from_fourier(field);
    transform_y(field, BACKWARD);
    transform_x(field, BACKWARD);
    checksums[step] = checksum();
  }
}

/* ---- The program ---- */

static void make_fields(enum nas_class problem_class) {
  size = &problems[problem_class];
  own_y = size->y / ranks;
  own_z = size->z / ranks;
  points = (long)own_z * size->y * size->x;
  spectrum = allocate();
  field = allocate();
}

static uint64_t digest_run(const struct complex* checksums) {
  uint64_t digest = digest_doubles(DIGEST_START, (const double*)checksums, (size_t)2 * STEPS);
  return digest_doubles(digest, (const double*)field, (size_t)(2 * points));
}

/* The largest error of a checksum, relative to its value. */
static double largest_error(const struct complex* checksums) {
  double largest = 0;
  for (int step = 0; step < STEPS; ++step) {
    const struct complex expected = size->checksums[step];
    const double error = hypot(checksums[step].re - expected.re, checksums[step].im - expected.im);
    const double relative = error / hypot(expected.re, expected.im);
    if (!(relative <= largest)) largest = relative; /* true for a NaN as well */
  }
  return largest;
}

/* All repetitions. Returns the exit status. */
static int benchmark(const struct nas_options* options) {
  struct complex checksums[STEPS];
  make_roots();
  make_fields(options->problem_class);
  make_spectrum();

  double error = 0;
  uint64_t digest = 0;
  long different = 0;
  for (long repetition = 0; repetition < options->repeat; ++repetition) {
    run(options, repetition, checksums);
    const uint64_t found = digest_run(checksums);
    if (repetition == 0) {
      digest = found;
      error = largest_error(checksums);
    }
    different += found != digest;
  }

  MPI_Allreduce(MPI_IN_PLACE, &different, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  free(spectrum);
  free(field);
  return tell("ft", digest_ranks(digest, MPI_COMM_WORLD), error <= tolerance && different == 0,
              "a checksum of class %s is off by %.3e of its value (allowed: %.0e); %ld repetitions ended differently",
              nas_class_name(options->problem_class), error, tolerance, different);
}

int main(int argc, char** argv) {
  struct nas_options options;
  nas_parse(argc, argv, &options);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!ends_here(&options.usage) && problems[options.problem_class].z % ranks != 0) {
    wrong_usage(&options.usage, "the %d planes of class %s cannot be cut among %d ranks",
                problems[options.problem_class].z, nas_class_name(options.problem_class), ranks);
  }
  const int status = ends_here(&options.usage) ? explain(&options.usage, "ft", help) : benchmark(&options);
  MPI_Finalize();
  return status;
}
