static _Thread_local int counted = 40;
int count(void) { return ++counted; }
