/// Pieces of a group as one keeper gets them from another: of images what has changed since an earlier set, or all;
/// of parities all.
#pragma once

#include "chunks.hpp"
#include "images.hpp"
#include "requests.hpp"

namespace cppc::keeper {

/// What makes the earlier image, if one is named, the other one. The error of a keeper that does not have one of them,
/// with these checksums, says so.
Result<void> get_difference(const Peers& peers, const std::string& addresses, const Label& label,
                            const std::optional<Label>& since, const TakeChunk& take);
/// The parity, of so many bytes.
Result<void> get_parity(const Peers& peers, const std::string& addresses, std::uint64_t set, const ParityName& name,
                        std::uint64_t bytes, const TakeChunk& take);

/// The other side.
Result<void> give_difference(Stream& stream, const Label& label, const nlohmann::json& request, const Images& images);
Result<void> give_parity(Stream& stream, const nlohmann::json& request, const Images& images);

}  // namespace cppc::keeper
