/* Where the memory of heat and cg comes from. */
#pragma once

#include <stddef.h>

/* `count` uninitialised elements of `size` bytes, for free(). A failure is told and aborts the job. */
void* allocate(size_t count, size_t size);
