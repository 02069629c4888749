/// All images that a keeper has in memory, by set and rank, and parities of such. Any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "image.hpp"
#include "parity.hpp"
#include "reservations.hpp"

namespace cppc::keeper {

class Images {
 public:
  explicit Images(Reservations::MemoryFree memory_free) : reservations_(std::move(memory_free)) {}

  /// A new set: images of it are taken until it is complete or discarded. Of complete ones, the last stays.
  void begin(std::uint64_t set);
  bool takes(std::uint64_t set) const;

  /// The set has all of its images, of so many ranks, here and elsewhere. The last two of those are kept.
  void complete(std::uint64_t set, int ranks);
  void discard(std::uint64_t set);

  /// A file for an image of a set that is being made; an error with numbers when there is not so much memory.
  Result<UniqueFd> make(std::uint64_t set, int rank, std::uint64_t bytes);
  /// That file has been written.
  Result<Held> seal(std::uint64_t set, int rank, std::uint64_t bytes, std::uint64_t xxh3);

  /// For what comes from other nodes.
  Reservations& reservations() { return reservations_; }
  /// The image is here as well. `complete`: the set is, so it may have begun before this keeper. Otherwise an error
  /// when the set is not being made any more.
  Result<void> add(std::uint64_t set, int rank, Held image, bool complete);

  /// Likewise for a parity of the set's images.
  Result<void> add_parity(std::uint64_t set, const ParityName& name, Parity parity, bool complete);
  /// The set's groups are these now; parities of others go.
  void keep_parities(std::uint64_t set, const std::set<std::vector<int>>& groups);

  /// A complete set, and what of it is here.
  struct Listed {
    std::uint64_t number = 0;
    int ranks = 0;  ///< 0: not known here
    std::map<int, Held> images;
    std::map<ParityName, Parity> parities;
  };
  /// In their order. Others are discarded.
  std::vector<Listed> keep_only_complete();
  /// The last set that was begun; 0: none.
  std::uint64_t last() const;

  /// None: it is not here.
  Held find(std::uint64_t set, int rank) const;
  /// The newest one of the rank: others that it has differ from it little.
  Held newest_of(int rank) const;
  std::optional<Parity> find_parity(std::uint64_t set, const ParityName& name) const;
  /// That of the same ranks in the newest other set.
  std::optional<Parity> earlier_parity(std::uint64_t set, const ParityName& name) const;

 private:
  struct Set {
    std::map<int, Reservation> written;  // by ranks of this node; until they are sealed
    std::map<int, Held> images;
    std::map<ParityName, Parity> parities;
    bool complete = false;
    int ranks = 0;
  };
  Result<Set*> set_to_add_to(std::uint64_t set, bool complete);
  void keep_complete(std::size_t count);

  Reservations reservations_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, Set> sets_;
};

}  // namespace cppc::keeper
