#include "controller/reconcile/spin_watch.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace kinformer::internal::reconcile {
namespace {

constexpr Duration kPiece = std::chrono::seconds(10);
constexpr std::size_t kAtOnce = 1000;  // in one piece
constexpr std::size_t kBusy = 100;     // in each of kPieces
constexpr int kPieces = 6;
constexpr Duration kSayAgain = std::chrono::minutes(10);

}  // namespace

void SpinWatch::BeginPiece(SteadyTime now) {
  // There may have been no reconcile at all between two intervals.
  const bool follows = now - begun_ < 2 * kPiece;
  std::unordered_map<std::string, Counts> busy;
  for (const auto& [key, counts] : counts_) {
    if (follows && counts.all >= kBusy) busy[key].busy_pieces = counts.busy_pieces + 1;
  }
  counts_ = std::move(busy);
  begun_ = now;
}

std::optional<SpinWatch::Found> SpinWatch::Reconciled(const std::string& key, Again again,
                                                      Duration requeue_after, SteadyTime now) {
  const base::MutexLock lock(mutex_);
  if (now - begun_ >= kPiece) BeginPiece(now);
  auto known = counts_.find(key);
  if (known == counts_.end()) {
    if (counts_.size() >= kMostKeys) return std::nullopt;
    known = counts_.try_emplace(key).first;
  }
  Counts& counts = known->second;
  ++counts.all;
  ++counts.by[static_cast<std::size_t>(again)];
  if (again == Again::kByRequeueAfter) counts.shortest = std::min(counts.shortest, requeue_after);
  const bool spins =
      counts.all >= kAtOnce || (counts.busy_pieces + 1 >= kPieces && counts.all >= kBusy);
  if (!spins || (said_ && now - *said_ < kSayAgain)) return std::nullopt;
  said_ = now;
  const auto most = std::ranges::max_element(counts.by);
  return Found{counts.all, now - begun_, static_cast<Again>(std::distance(counts.by.begin(), most)),
               counts.shortest};
}

std::string CauseOf(const SpinWatch::Found& found) {
  switch (found.again) {
    case Again::kByEvent:
      return "an event follows each reconcile: does it write something that is new each time, such "
             "as a time or a counter, or a list in another order, and then hear of its own write? "
             "Write only what differs, or watch with predicate::GenerationChangedPredicate()";
    case Again::kByRequeueAfter:
      return "it asks to come again after " + std::to_string(found.shortest.count()) +
             " ns (ReconcileResult::requeue_after): ask for seconds or minutes, or for nothing "
             "where a watch tells of the change";
    case Again::kByRequeue:
      return "it asks to come again (ReconcileResult::requeue), and the rate limiter lets it at "
             "once: use the usual limiter, or requeue_after";
    case Again::kByError:
      return "it fails, and the rate limiter lets it come again at once: use the usual limiter";
  }
  return {};
}

}  // namespace kinformer::internal::reconcile
