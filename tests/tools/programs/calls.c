/* A program for the check whether it loads libcppc. */
int cppc_test_call(void);
int main(void) { return cppc_test_call(); }
