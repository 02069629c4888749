/// Huge pages of a process of which a snapshot was made: the system has split those that the process has written to
/// meanwhile. Until they are joined again, which the system by itself does when it comes to it, each further snapshot
/// takes longer.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <vector>

namespace cppc::migration {

/// Whether each page of `memory`, which begins and ends with a page, takes memory: those that the program has not
/// written to do not, and joining them would change that.
bool all_in_memory(std::span<std::byte> memory);

/// Joins the pages of `memory` that are all there, as far as the system can (Linux 6.1) and huge pages are in use on
/// the node at all. Takes as long as copying them; the process may go on working, and give memory back, meanwhile.
void join_huge_pages(const std::vector<std::span<std::byte>>& memory, const std::stop_token& stop);

}  // namespace cppc::migration
