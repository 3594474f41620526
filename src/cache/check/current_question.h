// cache/check/current_question.h
//
// CurrentQuestion: finds out when the store has all that the server had when it was asked.

#ifndef KINFORMER_CACHE_CHECK_CURRENT_QUESTION_H_
#define KINFORMER_CACHE_CHECK_CURRENT_QUESTION_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/object/object_name.h"

#include "cache/store/store_core.h"
#include "cache/store/store_part.h"
#include "client/page_tokens.h"

namespace kinformer::internal::cache {

struct CurrentQuestionOptions {
  // The part of the store that `source` lists.
  StorePart part{};
  // Returns the resourceVersion that the part has in the store; empty: nothing is listed yet, or
  // only what the server had before it went back in time.
  std::function<std::string()> version{};
  // Returns false if a transform changes names, uids or versions, so that objects cannot be
  // compared.
  std::function<bool()> comparable{};
  // Called once, when the store has it all. Must not destroy the question.
  std::function<void()> answered{};
  // Called at each failure of a request. It is made again, unless the server refuses it for good
  // (IsRefusedForGood, or 5xx for a minute), `for_good`: then `answered` follows.
  std::function<void(const Error& error, bool for_good)> failed{};
};

// Lists metadata without a resourceVersion, so that the server answers with its newest state, and
// compares it with the store. A store whose collection reaches the version of the list has it all;
// so has one that has each listed object at its version or a newer one, and none that the list
// lacks: a collection in which nothing happens learns its version only once a minute. One page is
// one round trip. More pages are asked for only if the version does not come by itself.
//
// Confined to the loop. The constructor's reference arguments must outlive it.
class CurrentQuestion final : private ListReceiver {
 public:
  static constexpr std::int64_t kPageSize = 500;
  // Time that a collection of several pages gets to reach the version by its own events.
  static constexpr Duration kPatience = std::chrono::milliseconds(500);
  static constexpr Duration kRetry = std::chrono::seconds(1);
  // A resource that the server answers with 5xx for so long is broken, such as that of an extension
  // server that is down; it must not hold for ever who waits for other resources, too.
  static constexpr Duration kBroken = std::chrono::minutes(1);

  CurrentQuestion(Env& env, ListerWatcher& source, const StoreCore& store,
                  CurrentQuestionOptions options);
  ~CurrentQuestion() override;

  // Asks. `answered` is called later, never before it returns. Called once from outside.
  void Ask();
  // The store has changed.
  void Committed() { AnswerIfCurrent(); }
  [[nodiscard]] bool is_answered() const { return answered_; }
  // Counts as answered from now on: the informer does not cover the part any more.
  void Abandon();

 private:
  void AskForPage();
  void LookForGone();
  void AskAgain(const Error& error);
  void AnswerIfCurrent();
  [[nodiscard]] bool IsCurrent();

  // ListReceiver
  void OnItem(AnyRef object) override;
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override;
  void OnDone(Result<ListMeta> result) override;

  Env& env_;
  ListerWatcher& source_;
  const StoreCore& store_;
  const CurrentQuestionOptions options_;
  // The store as it was before the list; and its objects that are in the list.
  std::shared_ptr<const SnapshotCore> before_;
  std::vector<const Block*> found_;
  std::string version_;    // of the list; empty: the first page is not there yet
  bool complete_ = false;  // all pages are there
  bool answered_ = false;
  bool whole_objects_ = false;                 // the source cannot list metadata
  std::map<ObjectName, std::string> lacking_;  // what the store had not as new: version
  std::map<ObjectName, std::string> gone_;     // what only the store had: uid
  ListOptions page_{};
  client::PageTokens tokens_{};
  std::optional<SteadyTime> broken_since_{};  // the first of the answers 5xx in a row
  Timer timer_;
  std::unique_ptr<ListWatchCall> call_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_CHECK_CURRENT_QUESTION_H_
