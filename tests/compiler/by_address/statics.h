void fill_outside(void);
double first_outside(void);
double work_outside(int step);
