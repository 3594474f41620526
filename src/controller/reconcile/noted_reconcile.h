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

// Lives as long as the reconcile runs, on its worker's thread, whose writes it notes. All arguments
// must outlive it.
class NotedReconcile {
 public:
  NotedReconcile(ReconcileHistory& history, const ReconcileContext& context, CauseNote& causes,
                 SteadyTime begun)
      : history_(history), context_(context), causes_(causes), begun_(begun) {
    ReconcileHistory::Began(context.key(), context.reconcile_id(), causes, begun);
  }
  ~NotedReconcile() {
    if (!ended_) history_.Dropped();
  }
  NotedReconcile(const NotedReconcile&) = delete;
  NotedReconcile& operator=(const NotedReconcile&) = delete;

  // Note what has become of it; the last use of the causes, which they may take. One of the two is
  // called, or the reconcile is forgotten.
  void Ended(const Result<ReconcileResult>& result, SteadyTime now);
  void Parked(SteadyTime now);

 private:
  // Apart, so that the usual way is short.
  [[gnu::noinline]] void NoteResult(const Result<ReconcileResult>& result, SteadyTime now);
  void Note(PastReconcile past, SteadyTime now);

  ReconcileHistory& history_;
  const ReconcileContext& context_;
  CauseNote& causes_;
  const SteadyTime begun_;
  bool ended_ = false;
  NotedWrites writes_;
};

}  // namespace kinformer::internal::reconcile

#endif  // KINFORMER_CONTROLLER_RECONCILE_NOTED_RECONCILE_H_
