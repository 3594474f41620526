#include "controller/reconcile/noted_reconcile.h"

#include <utility>

namespace kinformer::internal::reconcile {

NotedReconcile::NotedReconcile(ReconcileHistory& history, const ReconcileContext& context,
                               CauseNote& causes, SteadyTime begun)
    : history_(history), context_(context), causes_(causes) {
  past_.begun = begun;
  history_.Began(context.key(), context.reconcile_id(), causes, begun);
}

NotedReconcile::~NotedReconcile() {
  past_.id = context_.reconcile_id();
  past_.attempts = context_.attempts();
  if (context_.last_error()) past_.last_error = context_.last_error()->ToString();
  past_.writes_left_out = writes_.left_out();
  past_.writes = writes_.Take();
  history_.Ended(context_.key(), std::move(past_), causes_);
}

void NotedReconcile::Ended(const Result<ReconcileResult>& result, SteadyTime now) {
  past_.took = now - past_.begun;
  if (!result) {
    past_.result = "error";
    past_.error = result.error().ToString();
  } else if (result->terminal_error) {
    past_.result = "terminal error";
    past_.error = result->terminal_error->ToString();
  } else if (result->requeue_after > Duration::zero()) {
    past_.result = "requeue_after";
    past_.after = result->requeue_after;
  } else {
    past_.result = result->requeue ? "requeue" : "success";
  }
}

void NotedReconcile::Parked(SteadyTime now) {
  past_.took = now - past_.begun;
  past_.result = "parked";
}

}  // namespace kinformer::internal::reconcile
