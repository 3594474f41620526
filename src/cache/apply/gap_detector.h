// cache/apply/gap_detector.h
//
// GapDetector: finds out from the events of a watch that others are missing. A complete watch never
// modifies an absent object, adds a present one, or deletes another object than the stored one. If
// it does, the server has lost part of its history, or was restored from a backup and has passed
// the version that we resumed from.

#ifndef KINFORMER_CACHE_APPLY_GAP_DETECTOR_H_
#define KINFORMER_CACHE_APPLY_GAP_DETECTOR_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/cache/delta.h"
#include "kinformer/internal/block.h"

#include "cache/apply/gap_relists.h"

namespace kinformer::internal::cache {

// Compares each event with the store's state at the time it is applied. Confined to the loop.
class GapDetector {
 public:
  enum class Verdict : std::uint8_t {
    kFits,
    kReplay,  // the store has this state or a newer one: ignore the event
    kGap,     // apply the event, but an earlier one is missing
  };

  // `informer`: its name in messages. `relist` may be empty.
  GapDetector(Env& env, const std::string& informer, std::function<void()> relist)
      : env_(env), informer_(informer), relists_(env, std::move(relist)) {}

  // The store equals a list at that version. Events of a watch from a version that is not a number
  // have no order and are not judged.
  void Listed(std::string_view resourceVersion);
  // Stops comparing uids, because the transform changes them.
  void DistrustUids() { trusts_uids_ = false; }

  // Judges an event (kAdded, kUpdated or kDeleted) against the object stored under its key; null:
  // none. Not for keys of unreadable objects.
  Verdict Judge(DeltaType type, const Block& object, const Block* stored);
  // Returns whether these are two successive objects of one name. False if that is unknown.
  [[nodiscard]] bool DifferentUids(const Block& a, const Block& b) const;

 private:
  [[nodiscard]] std::string_view WhatIsMissing(DeltaType type, const Block& object,
                                               const Block* stored) const;

  Env& env_;
  const std::string& informer_;
  GapRelists relists_;
  bool judges_ = false;
  bool trusts_uids_ = true;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_GAP_DETECTOR_H_
