// controller/reconcile/reconcile_spans.h
//
// ReconcileSpans: the spans of a controller's reconciles. One that repeats an earlier reconcile, by
// an error, a requeue or a parked read, has a link to that one.

#ifndef KINFORMER_CONTROLLER_RECONCILE_RECONCILE_SPANS_H_
#define KINFORMER_CONTROLLER_RECONCILE_RECONCILE_SPANS_H_

#include <optional>
#include <string>
#include <unordered_map>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/tracing.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/internal/controller_core.h"

#include "base/core/mutex.h"

namespace kinformer::internal::reconcile {

// Thread-safe. Remembers one identity for each request that waits to be repeated.
class ReconcileSpans {
 public:
  // `controller` outlives this.
  ReconcileSpans(Env& env, const std::string& controller) : env_(env), controller_(controller) {}

  // The span of one reconcile, which is this thread's current one.
  class One {
   public:
    One(ReconcileSpans& all, const std::string& key, int priority, const FailedAttempts& failed);

    // The reconcile has ended with `result`; `action`: what follows.
    void Ended(const ReconcileContext& context, const Result<ReconcileResult>& result,
               Disposal::Action action);

   private:
    ReconcileSpans& all_;
    Span span_;
    std::optional<SpanScope> scope_{};
  };

 private:
  // Takes the identity of the reconcile that the next one of `key` repeats.
  SpanContext TakeEarlier(const std::string& key);
  void Keep(const std::string& key, const SpanContext& context);

  Env& env_;
  const std::string& controller_;
  base::Mutex mutex_;
  std::unordered_map<std::string, SpanContext> earlier_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal::reconcile

#endif  // KINFORMER_CONTROLLER_RECONCILE_RECONCILE_SPANS_H_
