// controller/reconcile/noted_reconcile.h
//
// NotedReconcile: writes a reconcile into its controller's history.

#ifndef KINFORMER_CONTROLLER_RECONCILE_NOTED_RECONCILE_H_
#define KINFORMER_CONTROLLER_RECONCILE_NOTED_RECONCILE_H_

#include <optional>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/internal/cause_note.h"

#include "controller/causes/noted_writes.h"
#include "controller/causes/reconcile_history.h"

namespace kinformer::internal::reconcile {

// Lives as long as the reconcile runs, on its worker's thread, whose writes it notes. All arguments
// must outlive it; at the end it takes `causes` and the texts of `context`.
class NotedReconcile {
 public:
  NotedReconcile(ReconcileHistory& history, ReconcileContext& context, CauseNote& causes,
                 SteadyTime begun)
      : history_(history),
        context_(context),
        causes_(causes),
        running_{&context.key(), &context.reconcile_id(), &causes, begun} {
    ReconcileHistory::Began(running_);
  }
  ~NotedReconcile();
  NotedReconcile(const NotedReconcile&) = delete;
  NotedReconcile& operator=(const NotedReconcile&) = delete;

  // Set what becomes of it: one of the two must be called.
  void Ended(const Result<ReconcileResult>& result, SteadyTime now);
  void Parked(SteadyTime now);

 private:
  ReconcileHistory& history_;
  ReconcileContext& context_;
  CauseNote& causes_;
  const ReconcileHistory::Running running_;
  NotedWrites writes_;
  std::string_view result_{};
  bool successful_ = false;
  Duration took_{};
  Duration after_{};
  std::optional<Error> error_{};
};

}  // namespace kinformer::internal::reconcile

#endif  // KINFORMER_CONTROLLER_RECONCILE_NOTED_RECONCILE_H_
