/* Fast Fourier transforms of many lines of complex numbers at once, for ft.c. */
#pragma once

struct complex {
  double re, im;
};

/* Lines in an array: element j of line i is at i * line_stride + j * stride. */
struct lines {
  int count;  /* a multiple of LINES_AT_ONCE */
  int length; /* a power of two, at most LONGEST_LINE */
  long line_stride, stride;
};

enum { LINES_AT_ONCE = 8, LONGEST_LINE = 256 };
enum fft_direction { FORWARD = -1, BACKWARD = 1 };

/* Before any transform. */
void make_roots(void);

/* Transforms the lines in place, without scaling: to sums over j of element[j] exp(direction 2 pi i j k / length). */
void transform(struct complex* data, struct lines lines, enum fft_direction direction);
