// FLAGS -O2 -pthread -std=c++20
#include "adversarial.hpp"
#include <thread>
#include <future>
#include <vector>
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
struct Tl {
  int v = 5;
  ~Tl() { std::printf("tl %d\n", v); }
};
thread_local Tl tl;
int main(int c, char** v) {
  start(&c, &v);
  std::atomic<long> a{0};
  std::recursive_mutex rm;
  std::shared_mutex sm;
  auto p = std::make_shared<int>(3);
  rm.lock();
  rm.lock();
  sm.lock();
  for (int i = 0; i < 12; ++i) {
    std::vector<std::thread> t;
    for (int k = 0; k < 3; ++k)
      t.emplace_back([&, k] {
        a += k;
        tl.v = k;
        std::shared_ptr<int> q = p;
      });
    for (auto& x : t) x.join();
    auto f = std::async(std::launch::async, [i] { return i * 2; });
    int got = f.get();
    auto l = std::async(std::launch::deferred, [i] { return i * 3; });
    gsum(i);
    tl.v++;
    rm.lock();
    rm.unlock();
    std::cout << rank << ' ' << i << ' ' << a << ' ' << got << ' ' << l.get() << ' ' << sm.try_lock_shared() << '\n';
  }
  rm.unlock();
  rm.unlock();
  sm.unlock();
  MPI_Finalize();
}
