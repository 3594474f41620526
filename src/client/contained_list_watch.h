// client/contained_list_watch.h
//
// ContainedListWatch: wraps a ListerWatcher, which users may supply, so that it never throws and
// always returns a call.

#ifndef KINFORMER_CLIENT_CONTAINED_LIST_WATCH_H_
#define KINFORMER_CLIENT_CONTAINED_LIST_WATCH_H_

#include <functional>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/lister_watcher.h"

namespace kinformer::internal::client {

// Logs and counts exceptions of `inner`; the list or watch then ends with an error. Both arguments
// must outlive this object and the calls that it returns.
class ContainedListWatch final : public ListerWatcher {
 public:
  ContainedListWatch(Env& env, ListerWatcher& inner) : env_(env), inner_(inner) {}

  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override;
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override;
  std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string> version)>& answer) override;
  std::unique_ptr<ListWatchCall> ListMetadata(const std::string& namespace_,
                                              const ListOptions& options,
                                              ListReceiver& receiver) override;
  [[nodiscard]] ListScope Scope() const override;
  [[nodiscard]] bool SetEntryOptions(const EntryOptions& options) override;
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override;
  void WatchListDeclined() override;
  [[nodiscard]] std::string Describe() const override;

 private:
  template <class Receiver, class Call>
  std::unique_ptr<ListWatchCall> Started(Receiver& receiver, Call call);

  Env& env_;
  ListerWatcher& inner_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_CONTAINED_LIST_WATCH_H_
