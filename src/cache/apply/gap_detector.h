// cache/apply/gap_detector.h
//
// GapDetector: what the events of a watch say about events that are missing. A watch that lacks
// nothing never changes what is not there, adds what is, or deletes another object than the one
// that is: then the server has lost some of its history, or was restored from a backup and has
// overtaken the version that we resumed from.

#ifndef KINFORMER_CACHE_APPLY_GAP_DETECTOR_H_
#define KINFORMER_CACHE_APPLY_GAP_DETECTOR_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "kinformer/delta.h"
#include "kinformer/env.h"
#include "kinformer/internal/block.h"

#include "cache/apply/gap_relists.h"

namespace kinformer::internal::cache {

// Judges each event against what the store holds when its turn has come. Confined to the loop.
class GapDetector {
 public:
  enum class Verdict : std::uint8_t {
    kFits,
    kReplay,  // the store has this state, or a newer one: nothing has happened
    kGap,     // it is to be applied, but something before it is missing
  };

  // `informer`: what messages call it. `relist` may be empty.
  GapDetector(Env& env, const std::string& informer, std::function<void()> relist)
      : env_(env), informer_(informer), relists_(env, std::move(relist)) {}

  // The store equals a list of that version. What a watch from a version that is no number tells
  // has no order, and is not judged.
  void Listed(std::string_view resourceVersion);
  // The transform gives objects other uids than the server: these are not judged any more.
  void DistrustUids() { trusts_uids_ = false; }

  // An event, kAdded, kUpdated or kDeleted, with what is stored under its key; null: nothing. Not
  // of keys under which there is something that cannot be read.
  Verdict Judge(DeltaType type, const Block& object, const Block* stored);
  // Are they two objects of the same name, one after the other? False where that is not known.
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
