#include "adversarial.hpp"
#include <stdexcept>
#include <exception>
#include <vector>
#include <typeinfo>
#include <any>
#include <functional>
struct B {
  virtual ~B() = default;
  virtual int f() { return 1; }
};
struct D : B {
  int f() override { return 2; }
};
struct G {
  ~G() {
    gsum(std::uncaught_exceptions());
    std::cout << "unwinding " << rank << '\n';
  }
};
static int deep(int n) {
  G g;
  if (n == 0) throw std::runtime_error("deep");
  return deep(n - 1);
}
int main(int c, char** v) {
  start(&c, &v);
  std::exception_ptr kept;
  std::vector<std::function<int()>> fs;
  for (int i = 0; i < 10; ++i) {
    try {
      deep(i);
    } catch (const std::exception& e) {
      gsum(i);
      kept = std::current_exception();
      try {
        gsum(1);
        throw std::any(i);
      } catch (std::any& a) {
        gsum(2);
        std::cout << std::any_cast<int>(a) << e.what() << '\n';
      }
      try {
        std::throw_with_nested(std::logic_error("outer"));
      } catch (std::logic_error& l) {
        gsum(1);
        try {
          std::rethrow_if_nested(l);
        } catch (std::exception& n) {
          std::cout << n.what() << '\n';
        }
      }
    }
    try {
      gsum(3);
      std::rethrow_exception(kept);
    } catch (std::runtime_error& e) {
      std::cout << rank << e.what() << typeid(e).name() << '\n';
    }
    B* b = new D;
    fs.push_back([b] { return dynamic_cast<D*>(b) ? b->f() : 0; });
    std::cout << fs.back()() << '\n';
  }
  MPI_Finalize();
}
