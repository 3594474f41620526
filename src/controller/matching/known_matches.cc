#include "controller/matching/known_matches.h"

#include <algorithm>

#include "base/core/system_random.h"
#include "base/text/hash_bytes.h"

namespace kinformer::internal::matching {
namespace {

constexpr std::uint64_t kOtherSeed = 0x9e3779b97f4a7c15;

std::string KindName(const KindInfo& kind) {
  return std::string(kind.group) + '/' + std::string(kind.version) + '/' + std::string(kind.kind);
}

}  // namespace

KnownMatches::KnownMatches() : KnownMatches(base::SystemRandom()) {}

KnownMatches::Fingerprint KnownMatches::Of(std::initializer_list<std::string_view> parts) const {
  Fingerprint print{seed_, seed_ ^ kOtherSeed};
  for (const std::string_view part : parts) {
    print.a = base::HashBytes(print.a, part);
    print.b = base::HashBytes(print.b, part);
  }
  if (print == Fingerprint()) print.b = 1;
  return print;
}

bool KnownMatches::Knows(const Fingerprint& write) const {
  const base::MutexLock lock(mutex_);
  const Bucket& bucket = buckets_[write.a & (buckets_.size() - 1)];
  return std::find(bucket.begin(), bucket.end(), write) != bucket.end();
}

void KnownMatches::Put(const Fingerprint& write) {
  Bucket& bucket = buckets_[write.a & (buckets_.size() - 1)];
  if (std::find(bucket.begin(), bucket.end(), write) != bucket.end()) return;
  if (bucket.back() == Fingerprint()) ++used_;
  std::move_backward(bucket.begin(), bucket.end() - 1, bucket.end());
  bucket.front() = write;
}

void KnownMatches::Grow() {
  std::vector<Bucket> before(buckets_.size() * 2);
  before.swap(buckets_);
  used_ = 0;
  for (const Bucket& bucket : before) {
    // The oldest first, so that the order stays.
    for (auto write = bucket.rbegin(); write != bucket.rend(); ++write) {
      if (*write != Fingerprint()) Put(*write);
    }
  }
}

void KnownMatches::Learn(const Fingerprint& write) {
  const base::MutexLock lock(mutex_);
  // Grown while half full, so that few buckets overflow.
  if (used_ >= buckets_.size() * kWays / 2 && buckets_.size() < kMostBuckets) Grow();
  Put(write);
}

bool KnownMatches::AreAtomic(const KindInfo& kind, const std::vector<std::string>& places) const {
  if (places.empty()) return true;
  const std::string name = KindName(kind);
  const base::MutexLock lock(mutex_);
  for (const std::string& place : places) {
    if (!atomic_.contains({name, place})) return false;
  }
  return true;
}

void KnownMatches::LearnAtomic(const KindInfo& kind, const std::vector<std::string>& places) {
  const base::MutexLock lock(mutex_);
  for (const std::string& place : places) {
    if (atomic_.size() >= kMostPlaces) return;
    atomic_.emplace(KindName(kind), place);
  }
}

}  // namespace kinformer::internal::matching
