/// How an agent, or a keeper, proves that it is of the job.
#pragma once

#include <string>
#include <string_view>

namespace cppc {

/// What agent `agent` shows in its Hello: HMAC-SHA256 of its number by the job's key, as hexadecimal digits. The
/// network carries it in clear; whoever reads it there can neither show it again, since an agent connects once, nor
/// find those of other agents.
std::string agent_key(std::string_view job_key, int agent);

/// Likewise what the guardian of agent `agent` shows for the substitute number `count`, from 1 on.
std::string substitute_key(std::string_view job_key, int agent, int count);

/// What a keeper shows to another one, which has sent it the nonce.
std::string keeper_proof(std::string_view job_key, std::string_view nonce);

/// Takes as long for a wrong secret as for the right one.
bool same_secret(std::string_view one, std::string_view other);

}  // namespace cppc
