#include "adversarial.hpp"
#include <fstream>
#include <sstream>
#include <iomanip>
#include <string>
int main(int c, char** v) {
  start(&c, &v);
  std::ofstream log("log" + std::to_string(rank));
  log << std::setprecision(12) << std::scientific;
  std::ifstream in("/usr/include/stdio.h");
  std::fstream rw("rw" + std::to_string(rank), std::ios::in | std::ios::out | std::ios::trunc);
  std::ostream tee(std::cout.rdbuf());
  in.tie(&log);
  std::string line;
  std::stringstream cap;
  for (int i = 0; i < 12; ++i) {
    log << i * 1.1 << '\n';
    rw << "record " << i << ' ';
    gsum(i);
    std::getline(in, line);
    rw.seekg(0);
    std::string w;
    rw >> w >> w;
    rw.seekp(0, std::ios::end);
    tee << rank << ' ' << line << ' ' << w << ' ' << log.tellp() << ' ' << in.tellg() << std::endl;
    if (i == 4) {
      std::cout.rdbuf(cap.rdbuf());
    }
    if (i == 7) {
      std::cout.rdbuf(tee.rdbuf());
      std::cout << cap.str().size() << '\n';
    }
    std::cout << "hello " << i << '\n';
  }
  if (rank == 0) {
    int x;
    std::cin >> x;
    std::cout << "cin " << x << '\n';
    gsum(1);
    std::cin >> x;
    std::cout << "cin " << x << '\n';
  } else
    gsum(1);
  log.close();
  std::ifstream back("log" + std::to_string(rank));
  std::cout << back.rdbuf();
  MPI_Finalize();
}
