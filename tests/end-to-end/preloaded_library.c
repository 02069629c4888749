int preloaded_count(void);
int preloaded_count(void) {
  static int count = 0;
  return count += STEP;
}
