#include "ft_lines.h"

#include <math.h>

static const double two_pi = 6.283185307179586;

static struct complex roots[LONGEST_LINE]; /* of one: exp(2 pi i k / LONGEST_LINE) */

void make_roots(void) {
  for (int k = 0; k < LONGEST_LINE; ++k) {
    const double angle = two_pi * k / LONGEST_LINE;
    roots[k] = (struct complex){cos(angle), sin(angle)};
  }
}

/* One pass of the autosort algorithm of Stockham: combines elements half of `length` apart, `width` lines side by side,
 * and puts the results next to each other. */
static void combine(const struct complex* from, struct complex* to, int length, int width, int direction) {
  const int half = length / 2;
  for (int p = 0; p < half; ++p) {
    const struct complex root = {roots[p * (LONGEST_LINE / length)].re,
                                 direction * roots[p * (LONGEST_LINE / length)].im};
    const struct complex* first = from + (long)p * width;
    const struct complex* second = from + (long)(p + half) * width;
    struct complex* sum = to + (long)2 * p * width;
    struct complex* difference = sum + width;
    for (int q = 0; q < width; ++q) {
      const double re = first[q].re - second[q].re, im = first[q].im - second[q].im;
      sum[q].re = first[q].re + second[q].re;
      sum[q].im = first[q].im + second[q].im;
      difference[q].re = re * root.re - im * root.im;
      difference[q].im = re * root.im + im * root.re;
    }
  }
}

void transform(struct complex* data, struct lines lines, enum fft_direction direction) {
  struct complex buffers[2][LONGEST_LINE * LINES_AT_ONCE];
  for (int line = 0; line < lines.count; line += LINES_AT_ONCE) {
    struct complex* begin = data + line * lines.line_stride;
    struct complex *from = buffers[0], *to = buffers[1];
    for (int i = 0; i < LINES_AT_ONCE; ++i) {
      for (int j = 0; j < lines.length; ++j) {
        from[j * LINES_AT_ONCE + i] = begin[i * lines.line_stride + j * lines.stride];
      }
    }
    int width = LINES_AT_ONCE;
    for (int length = lines.length; length > 1; length /= 2) {
      combine(from, to, length, width, direction);
      struct complex* const other = from;
      from = to;
      to = other;
      width *= 2;
    }
    for (int i = 0; i < LINES_AT_ONCE; ++i) {
      for (int j = 0; j < lines.length; ++j) {
        begin[i * lines.line_stride + j * lines.stride] = from[j * LINES_AT_ONCE + i];
      }
    }
  }
}
