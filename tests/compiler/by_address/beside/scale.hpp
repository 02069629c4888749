#ifndef BESIDE_SCALE_HPP
#define BESIDE_SCALE_HPP

inline double scaled(double x) { return 1.5 * x; }

inline const char* const kWhere = __FILE__;

#endif
