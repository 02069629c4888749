// Locales of the C++ library that have a name: the program's, those of streams, one made before main.
#include <ctime>
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>
#include "adversarial.hpp"

static const std::locale early("C.UTF-8");

int main(int argc, char** argv) {
  setenv("LANG", "C.UTF-8", 1);
  start(&argc, &argv);
  std::locale::global(std::locale(""));
  std::ostringstream out, time;
  time.imbue(std::locale("C.UTF-8"));
  const auto& narrow = std::use_facet<std::ctype<char>>(early);
  double sum = 0;
  for (int it = 0; it < 10; it++) {
    sum += gsum(it);
    std::tm day{};
    day.tm_wday = it % 7;
    out << 1234.5 * it << ' ' << std::toupper('a', std::locale()) << narrow.is(std::ctype_base::digit, '7');
    time << std::put_time(&day, "%A ") << std::isalpha(L'\u00e4', std::locale()) << std::toupper(L'\u00e4', early) << ' ';
    std::wostringstream wide;
    wide.imbue(it % 2 ? early : std::locale(std::locale(), "C.UTF-8", std::locale::numeric));
    wide << it << L' ' << sum;
    out << wide.str().size() << ' ';
  }
  printf("%d %s %s %g %s %s\n", rank, out.str().c_str(), time.str().c_str(), sum, std::locale().name().c_str(),
         early.name().c_str());
  MPI_Finalize();
}
