/// The last image of a rank that moves. Until everybody has acknowledged the commit, the job depends on all of its
/// processes. When mpirun has to end it in between, it sends SIGCONT to all of them first, SIGTERM and SIGKILL a second
/// later. At the first the image goes to a file in this node's memory, which is named on standard error; and without it
/// when half of the time for the commit has passed.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <tl/expected.hpp>

#include "cppc/image.hpp"
#include "cppc/status.h"

namespace cppc::migration {

class LastImage {
 public:
  /// Has SIGCONT to itself until it is destroyed, one in a process. What the image was made from must stay as it is
  /// until then. CPPC_ERR_SYSTEM, logged.
  static tl::expected<std::unique_ptr<LastImage>, cppc_status> keep(image::Image image, int rank);
  LastImage(const LastImage&) = delete;
  LastImage& operator=(const LastImage&) = delete;
  ~LastImage();  ///< removes the file: SIGCONT has other reasons, too

  /// The file of a job's rank.
  static std::string path(const std::string& job, int rank);

 private:
  LastImage(image::Image image, int rank);
  void run(std::chrono::milliseconds delay);
  bool save();

  image::Image image_;
  const int rank_;
  const std::string path_;
  struct sigaction before_ {};
  bool saved_ = false;  ///< the thread's
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace cppc::migration
