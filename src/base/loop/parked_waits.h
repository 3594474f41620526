// base/loop/parked_waits.h
//
// ParkedWaits: lets a call on this thread put off what it would have to wait for.

#ifndef KINFORMER_BASE_LOOP_PARKED_WAITS_H_
#define KINFORMER_BASE_LOOP_PARKED_WAITS_H_

#include <functional>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/task.h"

namespace kinformer::internal::base {

// While one of these lives on a thread, a function there that would block may Add what it waits
// for, and fail at once; whoever has made this repeats the work when the waits have ended. Not
// thread-safe: for the thread that makes it. Objects may be nested; the innermost counts.
class ParkedWaits {
 public:
  using Wait = std::function<Task<Result<void>>()>;

  ParkedWaits();
  ~ParkedWaits();
  ParkedWaits(const ParkedWaits&) = delete;
  ParkedWaits& operator=(const ParkedWaits&) = delete;

  // Returns the one of this thread; null: functions must block.
  [[nodiscard]] static ParkedWaits* Current();

  void Add(Wait wait) { waits_.push_back(std::move(wait)); }
  [[nodiscard]] std::vector<Wait> Take() { return std::move(waits_); }

 private:
  std::vector<Wait> waits_;
  ParkedWaits* const outer_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_PARKED_WAITS_H_
