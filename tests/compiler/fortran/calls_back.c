/* Code from outside that the main program leaves the work to. */
void call_back(void (*work)(void)) { work(); }
