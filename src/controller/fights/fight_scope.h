// controller/fights/fight_scope.h
//
// FightScope: tells a FightBook of the writes of one reconcile.

#ifndef KINFORMER_CONTROLLER_FIGHTS_FIGHT_SCOPE_H_
#define KINFORMER_CONTROLLER_FIGHTS_FIGHT_SCOPE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/held_requests.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

#include "controller/fights/fight_book.h"
#include "controller/fights/written_fields.h"

namespace kinformer::internal {

// While one of these lives on a thread, a DelegatingClient tells it the writes of that thread. Not
// thread-safe. Scopes may be nested; the innermost counts. A reconcile without a write costs two
// writes of a pointer.
class FightScope {
 public:
  // All must outlive it. `causes`: of the reconcile, whose request is `request`.
  FightScope(FightBook& book, const std::string& request, const CauseNote& causes);
  ~FightScope();
  FightScope(const FightScope&) = delete;
  FightScope& operator=(const FightScope&) = delete;

  // Returns the one of this thread; null: nobody wants to know.
  [[nodiscard]] static FightScope* Current();

  // Returns the object as this reconcile has written it last; null: it has not.
  [[nodiscard]] ObjectRef LastAnswer(const KindInfo& kind, const ObjectName& name) const;
  // Whether Wrote wants to know what is sent.
  [[nodiscard]] bool Suspects(const Block& before);
  // A write was answered. `before`: null, if that is unknown, or if it was created. `sent`: null,
  // if that is not wanted.
  void Wrote(const KindInfo& kind, const ObjectRef& before, const ObjectRef& now,
             const fights::SentWrite* sent);
  // Returns what holds the request up from now on; null: nothing.
  [[nodiscard]] std::unique_ptr<std::vector<RequestHold>> Take() { return std::move(holds_); }

 private:
  // Objects that are remembered until the end of the reconcile.
  static constexpr std::size_t kMostAnswers = 4;

  [[nodiscard]] FightBook::Causes OfCauses();
  // Whether the event shows only what the controller has written.
  [[nodiscard]] bool IsOwn(const RawCause& cause) const;

  FightBook& book_;
  const std::string& request_;
  const CauseNote& causes_;
  std::optional<FightBook::Causes> of_causes_;
  std::unique_ptr<std::vector<ObjectRef>> answers_;  // null: no write yet
  std::unique_ptr<std::vector<RequestHold>> holds_;  // null: none
  FightScope* const outer_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_FIGHTS_FIGHT_SCOPE_H_
