/// What is in flight at a migration point is taken out of MPI, so that its communicators can be freed: messages that
/// were sent and not yet received go into the mailbox, receives that have no message yet are taken back and posted
/// again later, all other requests and accesses to windows under locks are brought to their end. For the program
/// nothing of it can be seen, but that sends (synchronous ones, too) may be complete earlier.
#pragma once

namespace cppc::mpi {

/// One round, to be called until it returns true: nothing that this process has started is under way any more. More
/// messages may come all the same, as long as other processes are not as far: those who count (cppc_traffic) know.
bool drain();

/// Posts again what drain() has taken back, in communicators that may be new ones.
void resume();

}  // namespace cppc::mpi
