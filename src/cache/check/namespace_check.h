// cache/check/namespace_check.h
//
// NamespaceCheck: compares the Namespaces known from a watch with a list of them.

#ifndef KINFORMER_CACHE_CHECK_NAMESPACE_CHECK_H_
#define KINFORMER_CACHE_CHECK_NAMESPACE_CHECK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/lister_watcher.h"

#include "client/page_tokens.h"

namespace kinformer::internal::cache {

// Finds differences that no event shows: a server that was restored and has passed the watch's
// version sends no events for them. A watch may lag a little behind a list, so a difference is
// checked again before it counts. If the server refuses the list, the next check is a period later.
//
// Confined to the loop. The constructor's arguments must outlive it.
class NamespaceCheck final : private ListReceiver {
 public:
  using Names = std::set<std::string, std::less<>>;
  struct Options {
    std::string name{};              // name of the informer in the log
    Duration period{};               // 0: never
    const Names* known{};            // the Namespaces known from the watch
    std::function<void()> relist{};  // called if they are not those that exist
  };

  NamespaceCheck(Env& env, ListerWatcher& lister_watcher, Options options);

  // Starts the checks, once the first list is complete.
  void Begin();

 private:
  void Arm(Duration delay, void (NamespaceCheck::*next)());
  void Ask() { Page({}); }
  void Page(std::string continue_);
  void LookAgain();
  // ListReceiver
  void OnItem(AnyRef object) override { listed_.emplace(object.object()->name()); }
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& error) override;
  void OnDone(Result<ListMeta> result) override;

  Env& env_;
  ListerWatcher& lister_watcher_;
  const Options options_;
  Names listed_;
  client::PageTokens tokens_;
  // Names that only the list or only the watch has shown.
  Names suspects_;
  Timer timer_;
  std::unique_ptr<ListWatchCall> call_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_CHECK_NAMESPACE_CHECK_H_
