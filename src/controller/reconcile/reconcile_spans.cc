#include "controller/reconcile/reconcile_spans.h"

#include <string_view>
#include <utility>

namespace kinformer::internal::reconcile {
namespace {

std::string_view ResultName(const Result<ReconcileResult>& result, Disposal::Action action) {
  if (action == Disposal::Action::kParked) return "parked";
  if (!result || result->terminal_error) return "error";
  if (action == Disposal::Action::kAfter) return "requeue_after";
  return action == Disposal::Action::kRateLimited ? "requeue" : "success";
}

}  // namespace

ReconcileSpans::One::One(ReconcileSpans& all, const std::string& key, int priority,
                         const FailedAttempts& failed)
    : all_(all) {
  const SpanContext none;  // a reconcile begins a trace
  span_ = Span(all.env_, "reconcile " + all.controller_,
               {.parent = &none,
                .attributes = {{"kinformer.controller", all.controller_},
                               {"kinformer.key", key},
                               {"kinformer.priority", priority},
                               {"kinformer.attempts", failed.count}}});
  if (!span_) return;
  span_.AddLink(all.TakeEarlier(key));
  scope_.emplace(span_);
}

void ReconcileSpans::One::Ended(const ReconcileContext& context,
                                const Result<ReconcileResult>& result, Disposal::Action action) {
  if (!span_) return;
  scope_.reset();
  span_.SetAttribute("kinformer.reconcile_id", context.reconcile_id());
  span_.SetAttribute("kinformer.causes", context.causes().ToString());
  span_.SetAttribute("kinformer.result", ResultName(result, action));
  if (action == Disposal::Action::kParked) {
    span_.AddEvent("parked until a cache shows an own write");
  } else if (!result) {
    span_.SetError(result.error().message());
  } else if (result->terminal_error) {
    span_.SetError(result->terminal_error->message());
  }
  if (action != Disposal::Action::kForget) all_.Keep(context.key(), span_.context());
  span_.End();
}

SpanContext ReconcileSpans::TakeEarlier(const std::string& key) {
  const base::MutexLock lock(mutex_);
  const auto found = earlier_.extract(key);
  return found.empty() ? SpanContext() : std::move(found.mapped());
}

void ReconcileSpans::Keep(const std::string& key, const SpanContext& context) {
  const base::MutexLock lock(mutex_);
  earlier_.insert_or_assign(key, context);
}

}  // namespace kinformer::internal::reconcile
