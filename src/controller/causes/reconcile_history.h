// controller/causes/reconcile_history.h
//
// ReconcileHistory: the last reconciles of a controller, for people who ask why.

#ifndef KINFORMER_CONTROLLER_CAUSES_RECONCILE_HISTORY_H_
#define KINFORMER_CONTROLLER_CAUSES_RECONCILE_HISTORY_H_

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/controller_figures.h"
#include "kinformer/internal/waiting_request.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

#include "base/core/mutex.h"
#include "controller/causes/noted_writes.h"
#include "controller/causes/quiet_notes.h"

namespace kinformer::internal {

// One reconcile. `result` is a constant: the label of reconcile_total, or "running", "parked".
struct PastReconcile {
  std::string id{};
  SteadyTime begun{};
  Duration took{};
  std::string_view result{};
  Duration after{};     // for requeue_after
  std::string error{};  // of the result
  int attempts = 0;     // as in ReconcileContext
  std::string last_error{};
  CauseNote causes{};
  std::vector<NotedWrite> writes{};
  std::size_t writes_left_out = 0;
};

// The last reconciles of one request, oldest first.
struct PastOfKey {
  std::string key{};
  std::vector<PastReconcile> reconciles{};
};

// Keeps the last kMostQuiet quiet reconciles of each worker whose causes have objects, and as many
// of those whose causes have none; of the others kMostEach of each of the kMostKeys requests that
// were reconciled last; and the objects of their changes in kMostHeld bytes, of the newest
// reconciles. Thread-safe. A quiet reconcile for one cause without objects takes no lock.
class ReconcileHistory {
 public:
  static constexpr std::size_t kMostQuiet = QuietNotes::kMost;
  static constexpr std::size_t kMostKeys = 500;
  static constexpr std::size_t kMostEach = 8;
  static constexpr std::size_t kMostHeld = std::size_t{1} << 20;

  struct Part;
  // Makes this thread a worker: its reconciles are noted in a part of its own.
  class Worker {
   public:
    explicit Worker(ReconcileHistory& history);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
  };

  explicit ReconcileHistory(std::string controller);
  ~ReconcileHistory();
  ReconcileHistory(const ReconcileHistory&) = delete;
  ReconcileHistory& operator=(const ReconcileHistory&) = delete;

  [[nodiscard]] const std::string& controller() const { return controller_; }
  // The kind of the objects that requests name. Null: unknown.
  void SetKind(const KindInfo* kind) { kind_.store(kind, std::memory_order_release); }
  [[nodiscard]] const KindInfo* kind() const { return kind_.load(std::memory_order_acquire); }

  // ---- For workers; other threads must not call them.
  // Notes that a reconcile runs. All must live until it has ended.
  static void Began(const std::string& key, const std::string& id, const CauseNote& causes,
                    SteadyTime begun);
  // Note the end of the one that runs. Both may take its causes. The second one: it has come to
  // nothing but success, and wrote nothing.
  void Ended(const std::string& key, CauseNote& causes, PastReconcile past)
      KINFORMER_EXCLUDES(mutex_);
  void EndedQuietly(const std::string& key, const std::string& id, CauseNote& causes,
                    SteadyTime begun, Duration took) KINFORMER_EXCLUDES(mutex_);
  // Forgets the one that runs.
  void Dropped() KINFORMER_EXCLUDES(mutex_);

  // Sets what returns the controller's fights. Called once, before others have the history.
  void SetFights(std::function<std::vector<ControllerFigures::Fight>()> fights) {
    fights_ = std::move(fights);
  }
  [[nodiscard]] std::vector<ControllerFigures::Fight> Fights() const {
    return fights_ ? fights_() : std::vector<ControllerFigures::Fight>();
  }

  // Returns copies: of the request `key`, and of the other requests that an event of the object of
  // `is_kind` with that name has woken. `own`: whether requests may be of that kind.
  [[nodiscard]] std::vector<PastOfKey> About(
      const std::string& key, bool own, const std::function<bool(const KindInfo&)>& is_kind) const
      KINFORMER_EXCLUDES(mutex_);

  // Returns what has yet to be reconciled, of the same requests.
  [[nodiscard]] WaitingAnswer Waiting(const std::string& key, bool own,
                                      const std::function<bool(const KindInfo&)>& is_kind) const
      KINFORMER_EXCLUDES(queue_mutex_);
  // Sets who is asked for that; empty: nobody. Returns when nobody else is being asked.
  void SetQueue(std::function<WaitingAnswer(const WaitingQuestion&)> queue)
      KINFORMER_EXCLUDES(queue_mutex_);

  // Sets what runs and the newest failures: kMostFailures at most.
  static constexpr std::size_t kMostFailures = 20;
  void Report(ControllerFigures& figures, SteadyTime now) const KINFORMER_EXCLUDES(mutex_);

 private:
  struct OfKey {
    std::string key{};
    std::vector<PastReconcile> past{};
    std::size_t next = 0;  // where the next one goes, if there are kMostEach
  };
  using Keys = std::list<OfKey>;

  OfKey& Touched(const std::string& key) KINFORMER_REQUIRES(mutex_);
  // This thread's reconcile has ended.
  static void EndHere();
  // Apart, so that the usual way is short.
  [[gnu::noinline]] void KeepQuiet(const std::string& key, const std::string& id, CauseNote& causes,
                                   SteadyTime begun, Duration took) KINFORMER_EXCLUDES(mutex_);
  // Counts the objects of the causes, and lets go of older ones, which it moves to `gone`.
  void Hold(const CauseNote& causes, std::vector<ObjectRef>& gone) KINFORMER_REQUIRES(mutex_);

  const std::string controller_;
  std::function<std::vector<ControllerFigures::Fight>()> fights_;
  std::atomic<const KindInfo*> kind_{nullptr};
  mutable base::Mutex queue_mutex_;
  std::function<WaitingAnswer(const WaitingQuestion&)> queue_ KINFORMER_GUARDED_BY(queue_mutex_);
  mutable base::Mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_ KINFORMER_GUARDED_BY(mutex_);  // one for each worker
  Keys keys_ KINFORMER_GUARDED_BY(mutex_);  // the one reconciled last is in front
  std::unordered_map<std::string_view, Keys::iterator> by_key_ KINFORMER_GUARDED_BY(mutex_);
  std::deque<CauseMoreRef> held_ KINFORMER_GUARDED_BY(mutex_);  // oldest in front
  std::size_t held_bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_CAUSES_RECONCILE_HISTORY_H_
