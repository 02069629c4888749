/// How much memory this process takes for a while on top of what it had.
#pragma once

namespace cppc::bench {

class Growth {
 public:
  Growth();                                ///< from now on
  [[nodiscard]] double megabytes() const;  ///< at the most, since

 private:
  double before_ = 0;
};

}  // namespace cppc::bench
