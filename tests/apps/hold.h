/* Stops a program at chosen steps, so that a test can ask for something meanwhile without depending on timing.
 * The hold is ordinary program code, no safe point: rank 0 waits, and its communication holds the other ranks. */
#pragma once

struct hold {
  const char* file;  /* go on when it exists; NULL: never hold */
  const char* steps; /* like 3,7,12; NULL: none */
};

/* On rank 0 at one of the steps: prints "hold: ..." to stdout, waits until the file exists, and removes it. */
void hold_at(const struct hold* hold, int rank, long step);
