/* A library that is carried: its constructor has a text from the C library before the program begins, and a counter. */
#include <string.h>

static char* text;
static int counter;
static int* counted = &counter;

__attribute__((constructor)) static void start(void) { text = strdup("made before the program began"); }

const char* started_text(void) { return text; }

int started_count(void) { return ++*counted; }

void started_change(void) { text[0] = 'M'; }
