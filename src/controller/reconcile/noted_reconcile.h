// controller/reconcile/noted_reconcile.h
//
// NotedReconcile: writes a reconcile into its controller's history.

#ifndef KINFORMER_CONTROLLER_RECONCILE_NOTED_RECONCILE_H_
#define KINFORMER_CONTROLLER_RECONCILE_NOTED_RECONCILE_H_

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/internal/cause_note.h"

#include "controller/causes/noted_writes.h"
#include "controller/causes/reconcile_history.h"

namespace kinformer::internal::reconcile {

// Lives as long as the reconcile runs, on its thread, whose writes it notes. All arguments must
// outlive it; takes `causes` at the end.
class NotedReconcile {
 public:
  NotedReconcile(ReconcileHistory& history, const ReconcileContext& context, CauseNote& causes,
                 SteadyTime begun);
  ~NotedReconcile();
  NotedReconcile(const NotedReconcile&) = delete;
  NotedReconcile& operator=(const NotedReconcile&) = delete;

  // Sets what becomes of it: one of the two.
  void Ended(const Result<ReconcileResult>& result, SteadyTime now);
  void Parked(SteadyTime now);

 private:
  ReconcileHistory& history_;
  const ReconcileContext& context_;
  CauseNote& causes_;
  PastReconcile past_;
  NotedWrites writes_;
};

}  // namespace kinformer::internal::reconcile

#endif  // KINFORMER_CONTROLLER_RECONCILE_NOTED_RECONCILE_H_
