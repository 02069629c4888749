/* The same with a library whose thread-local variables lie with those of the program (-ftls-model=initial-exec). */
#include "openedtls.c"
