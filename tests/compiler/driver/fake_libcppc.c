/* A libcppc by name only, which asks as the real one whether the program's state is kept by address: the translator of
   these tests calls nothing of it. */
extern const char cppc_by_address __attribute__((weak));
int fake_libcppc(void);
int fake_libcppc(void) { return &cppc_by_address != 0; }
