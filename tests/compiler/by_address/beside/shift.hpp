#pragma once

#include "scale.hpp"

inline double shifted(double x) { return scaled(x) + 0.25; }
