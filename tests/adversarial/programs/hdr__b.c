#include "adversarial.h"
#include "hdr.h"
void other(struct lst **l) { *l = lst_push(*l, 100 + counter()); }
