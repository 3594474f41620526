// cache/check/namespace_check.h
//
// NamespaceCheck: compares the Namespaces that a watch has told of with a list of them.

#ifndef KINFORMER_CACHE_CHECK_NAMESPACE_CHECK_H_
#define KINFORMER_CACHE_CHECK_NAMESPACE_CHECK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "kinformer/env.h"
#include "kinformer/list_watch.h"

#include "client/page_tokens.h"

namespace kinformer::internal::cache {

// For what no event shows: a server that was restored and has overtaken the watch says nothing of
// what differs. A watch may be a little behind a list, so what differs is looked at once more
// before it counts. A server that refuses the list is asked again in the next period.
//
// Confined to the loop. The arguments outlive it.
class NamespaceCheck final : private ListReceiver {
 public:
  using Names = std::set<std::string, std::less<>>;
  struct Options {
    std::string name{};              // whose, in the log
    Duration period{};               // 0: never
    const Names* known{};            // what the watch has told of
    std::function<void()> relist{};  // they are not those that there are
  };

  NamespaceCheck(Env& env, ListerWatcher& lister_watcher, Options options);

  // The first list is there.
  void Begin();

 private:
  void Arm(Duration delay, void (NamespaceCheck::*next)());
  void Ask() { Page({}); }
  void Page(std::string continue_);
  void LookAgain();
  // ListReceiver
  void OnItem(ObjectRef object) override { listed_.emplace(object->name()); }
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override;
  void OnDone(Result<ListMeta> result) override;

  Env& env_;
  ListerWatcher& lister_watcher_;
  const Options options_;
  Names listed_;
  client::PageTokens tokens_;
  // Either the list had them and the watch has not told of them, or the other way round.
  Names suspects_;
  Timer timer_;
  std::unique_ptr<ListWatchCall> call_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_CHECK_NAMESPACE_CHECK_H_
