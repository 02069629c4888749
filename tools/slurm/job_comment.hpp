/// Where the controllers of a job of Slurm's listen is in the job's comment, as words such as
/// "cppc=https://login1:4711" among others.
#pragma once

#include <string>
#include <vector>

namespace cppc::slurm {

/// The URLs in a comment.
std::vector<std::string> controllers_in(const std::string& comment);

/// The comment with this one in it, at its end.
std::string with_controller(const std::string& comment, const std::string& url);

/// The comment without it; else as it is.
std::string without_controller(const std::string& comment, const std::string& url);

}  // namespace cppc::slurm
