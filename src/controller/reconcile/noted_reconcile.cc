#include "controller/reconcile/noted_reconcile.h"

#include <utility>

namespace kinformer::internal::reconcile {

namespace {

bool IsSuccess(const Result<ReconcileResult>& result) {
  return result.ok() && !result->terminal_error && result->requeue_after <= Duration::zero() &&
         !result->requeue;
}

}  // namespace

void NotedReconcile::Ended(const Result<ReconcileResult>& result, SteadyTime now) {
  ended_ = true;
  if (!IsSuccess(result) || !writes_.empty() || context_.attempts() != 0) {
    return NoteResult(result, now);
  }
  history_.EndedQuietly(context_.key(), context_.reconcile_id(), causes_, begun_, now - begun_);
}

void NotedReconcile::NoteResult(const Result<ReconcileResult>& result, SteadyTime now) {
  PastReconcile past;
  if (!result) {
    past.result = "error";
    past.error = result.error().ToString();
  } else if (result->terminal_error) {
    past.result = "terminal error";
    past.error = result->terminal_error->ToString();
  } else if (result->requeue_after > Duration::zero()) {
    past.result = "requeue_after";
    past.after = result->requeue_after;
  } else {
    past.result = result->requeue ? "requeue" : "success";
  }
  Note(std::move(past), now);
}

void NotedReconcile::Parked(SteadyTime now) {
  ended_ = true;
  PastReconcile past;
  past.result = "parked";
  Note(std::move(past), now);
}

void NotedReconcile::Note(PastReconcile past, SteadyTime now) {
  past.id = context_.reconcile_id();
  past.begun = begun_;
  past.took = now - begun_;
  past.attempts = context_.attempts();
  if (context_.last_error_) past.last_error = context_.last_error_->ToString();
  past.writes_left_out = writes_.left_out();
  past.writes = writes_.Take();
  history_.Ended(context_.key(), causes_, std::move(past));
}

}  // namespace kinformer::internal::reconcile
