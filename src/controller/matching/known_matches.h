// controller/matching/known_matches.h
//
// KnownMatches: what a client has found out about its writes, so that a write that is repeated
// costs no second comparison.

#ifndef KINFORMER_CONTROLLER_MATCHING_KNOWN_MATCHES_H_
#define KINFORMER_CONTROLLER_MATCHING_KNOWN_MATCHES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/object/kind_info.h"

#include "base/core/mutex.h"

namespace kinformer::internal::matching {

// Thread-safe. Remembers fingerprints of writes that change nothing in an object of a certain
// version: at most half a million, in 8 MB; of more, older ones are forgotten. Remembers also the
// places of kinds that are atomic (see applied.h).
class KnownMatches {
 public:
  struct Fingerprint {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  };

  // Creates it with a random seed, so that nobody can choose objects whose fingerprints are equal.
  // The seed decides nothing that a simulation could see, and so is none of its Env.
  KnownMatches();
  explicit KnownMatches(std::uint64_t seed) : seed_(seed) {}

  [[nodiscard]] Fingerprint Of(std::initializer_list<std::string_view> parts) const;
  [[nodiscard]] bool Knows(const Fingerprint& write) const;
  void Learn(const Fingerprint& write);

  [[nodiscard]] bool AreAtomic(const KindInfo& kind, const std::vector<std::string>& places) const;
  void LearnAtomic(const KindInfo& kind, const std::vector<std::string>& places);

 private:
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kMostBuckets = std::size_t{1} << 16;
  static constexpr std::size_t kMostPlaces = 10'000;
  // The newest first. Zero: none.
  using Bucket = std::array<Fingerprint, kWays>;

  void Put(const Fingerprint& write) KINFORMER_REQUIRES(mutex_);
  void Grow() KINFORMER_REQUIRES(mutex_);

  const std::uint64_t seed_;
  mutable base::Mutex mutex_;
  // A power of two of them.
  std::vector<Bucket> buckets_ KINFORMER_GUARDED_BY(mutex_){8};
  std::size_t used_ KINFORMER_GUARDED_BY(mutex_) = 0;
  // Group and kind, and a place.
  std::set<std::pair<std::string, std::string>> atomic_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::matching

#endif  // KINFORMER_CONTROLLER_MATCHING_KNOWN_MATCHES_H_
