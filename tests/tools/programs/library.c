/* Stands for libcppc, or for a library that needs it. */
__attribute__((visibility("default"))) int cppc_test_call(void);
int cppc_test_call(void) { return 0; }
