#include "controller/reconcile/noted_reconcile.h"

#include <string_view>
#include <utility>

namespace kinformer::internal::reconcile {
namespace {

constexpr std::string_view kSuccess = "success";

}  // namespace

NotedReconcile::~NotedReconcile() {
  if (successful_ && writes_.empty() && context_.attempts_ == 0) {
    history_.EndedQuietly(context_.key_, context_.reconcile_id_, causes_, running_.begun, took_);
    return;
  }
  PastReconcile past;
  past.begun = running_.begun;
  past.took = took_;
  past.result = result_;
  past.after = after_;
  if (error_) past.error = error_->ToString();
  past.attempts = context_.attempts_;
  if (context_.last_error_) past.last_error = context_.last_error_->ToString();
  past.writes_left_out = writes_.left_out();
  past.writes = writes_.Take();
  history_.Ended(context_.key_, context_.reconcile_id_, causes_, std::move(past));
}

void NotedReconcile::Ended(const Result<ReconcileResult>& result, SteadyTime now) {
  took_ = now - running_.begun;
  if (!result) {
    result_ = "error";
    error_ = result.error();
  } else if (result->terminal_error) {
    result_ = "terminal error";
    error_ = result->terminal_error;
  } else if (result->requeue_after > Duration::zero()) {
    result_ = "requeue_after";
    after_ = result->requeue_after;
  } else {
    successful_ = !result->requeue;
    result_ = successful_ ? kSuccess : "requeue";
  }
}

void NotedReconcile::Parked(SteadyTime now) {
  took_ = now - running_.begun;
  result_ = "parked";
}

}  // namespace kinformer::internal::reconcile
