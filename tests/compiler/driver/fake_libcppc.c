/* A libcppc by name only: the translator of these tests calls nothing of it. */
int fake_libcppc(void);
int fake_libcppc(void) { return 0; }
