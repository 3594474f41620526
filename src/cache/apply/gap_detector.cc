#include "cache/apply/gap_detector.h"

#include <compare>

#include "kinformer/internal/indexer_core.h"

#include "cache/store/resource_version.h"

namespace kinformer::internal::cache {

void GapDetector::Listed(std::string_view resourceVersion) {
  judges_ = IsWellFormedResourceVersion(resourceVersion);
  relists_.Listed();
}

bool GapDetector::DifferentUids(const Block& a, const Block& b) const {
  return trusts_uids_ && !a.uid().empty() && !b.uid().empty() && a.uid() != b.uid();
}

std::string_view GapDetector::WhatIsMissing(DeltaType type, const Block& object,
                                            const Block* stored) const {
  if (stored == nullptr) {
    if (type == DeltaType::kUpdated) return "a change of what is not there";
    return type == DeltaType::kDeleted ? "a deletion of what is not there" : "";
  }
  if (DifferentUids(object, *stored)) {
    return type == DeltaType::kDeleted ? "a deletion of another object than the one that is there"
                                       : "another object, and no deletion of the one before";
  }
  const bool known = trusts_uids_ && !object.uid().empty() && !stored->uid().empty();
  return type == DeltaType::kAdded && known ? "an addition of what is there" : "";
}

GapDetector::Verdict GapDetector::Judge(DeltaType type, const Block& object, const Block* stored) {
  if (!judges_) return Verdict::kFits;
  if (stored != nullptr) {
    const auto order = CompareResourceVersion(object.resourceVersion(), stored->resourceVersion());
    if (order == std::strong_ordering::less) return Verdict::kReplay;
    // On most servers a deletion has its own version, on some the last one of the object.
    if (order == std::strong_ordering::equal && type != DeltaType::kDeleted) {
      if (stored->SameAs(object)) return Verdict::kReplay;
      // Defaults and conversions can change an object without a new version.
      if (!DifferentUids(object, *stored)) return Verdict::kFits;
    }
  }
  const std::string_view what = WhatIsMissing(type, object, stored);
  if (what.empty()) return Verdict::kFits;
  if (relists_.Seen()) {
    env_.log().Log(LogLevel::kWarning, "the watch lacks events; will list again",
                   {{"informer", informer_},
                    {"key", KeyOfBlock(object)},
                    {"it_told_of", std::string(what)},
                    {"resourceVersion", std::string(object.resourceVersion())}});
  }
  return Verdict::kGap;
}

}  // namespace kinformer::internal::cache
