// Informers that are not created by a factory.

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "kinformer/internal/informer_core.h"

#include "base/core/user_call.h"
#include "cache/informer/informer_impl.h"
#include "client/contained_list_watch.h"

namespace kinformer::internal {
namespace {

// Lends one ListerWatcher to successive lives of an informer.
class LentListerWatcher final : public ListerWatcher {
 public:
  explicit LentListerWatcher(std::shared_ptr<ListerWatcher> lender) : lender_(std::move(lender)) {}
  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    return lender_->List(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    return lender_->Watch(options, receiver);
  }
  std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string>)>& answer) override {
    return lender_->CurrentVersion(answer);
  }
  std::unique_ptr<ListWatchCall> ListMetadata(const std::string& namespace_,
                                              const ListOptions& options,
                                              ListReceiver& receiver) override {
    return lender_->ListMetadata(namespace_, options, receiver);
  }
  ListScope Scope() const override { return lender_->Scope(); }
  bool SetEntryOptions(const EntryOptions& options) override {
    return lender_->SetEntryOptions(options);
  }
  bool IsWatchListSemanticsUnSupported() const override {
    return lender_->IsWatchListSemanticsUnSupported();
  }
  void WatchListDeclined() override { lender_->WatchListDeclined(); }
  std::string Describe() const override { return lender_->Describe(); }

 private:
  std::shared_ptr<ListerWatcher> lender_;
};

// Returns an error if selectors are set, which only factories apply.
Result<void> UsesItsSelectors(const InformerSettings& settings) {
  if (settings.label_selector.MatchesEverything() && settings.field_selector.MatchesEverything() &&
      settings.shard_selector.MatchesEverything()) {
    return {};
  }
  return Error(Reason::kInvalidArgument,
               "label_selector, field_selector and shard_selector are for the informers of a "
               "factory; one that is given a ListerWatcher has all that this lists: give them to "
               "NewFilteredListWatch");
}

}  // namespace

std::shared_ptr<InformerCore> NewStandaloneInformer(Env& env,
                                                    std::unique_ptr<ListerWatcher> lister_watcher,
                                                    InformerSettings settings) {
  std::shared_ptr<ListerWatcher> shared = std::move(lister_watcher);
  std::string describe = client::ContainedListWatch(env, *shared).Describe();
  Result<void> used = UsesItsSelectors(settings);
  if (!settings.namespaces.empty()) {
    used = Error(Reason::kInvalidArgument,
                 "namespaces is for the informers of a factory, or of a function that makes the "
                 "ListerWatcher of each; one that is given a ListerWatcher looks where this does");
  }
  const bool falls_back = !settings.if_forbidden.IsDefault();
  settings.namespaces.clear();
  settings.namespace_.clear();
  settings.if_forbidden = {};
  auto informer = InformerCore::Create(
      env, std::move(describe),
      {.objects =
           [shared](const std::string&) { return std::make_unique<LentListerWatcher>(shared); }},
      std::move(settings));
  informer->LogIfError(used);
  if (falls_back) {
    informer->LogIfError(
        Error(Reason::kInvalidArgument,
              "if_forbidden is for the informers of a factory, or of a function that makes the "
              "ListerWatcher of each namespace; one that is given a ListerWatcher has nowhere else "
              "to look"));
  }
  return informer;
}

std::shared_ptr<InformerCore> NewStandaloneInformer(Env& env, NamespacedListWatch lister_watchers,
                                                    InformerSettings settings) {
  const Result<void> used = UsesItsSelectors(settings);
  const bool watches_in_vain =
      settings.if_forbidden.watch_namespaces && settings.if_forbidden.namespaces.empty();
  std::string describe = settings.name;
  if (describe.empty() && lister_watchers) {
    // Describes what the first one lists, followed by the other namespaces.
    const std::set<std::string, std::less<>> names = NamespacesOf(settings);
    std::unique_ptr<ListerWatcher> one;
    (void)base::CallUser(env, "the lister watcher's provider",
                         [&] { one = lister_watchers(names.empty() ? "" : *names.begin()); });
    if (one != nullptr) describe = client::ContainedListWatch(env, *one).Describe();
    for (auto name = names.begin(); !names.empty() && ++name != names.end();) {
      describe += ", " + *name;
    }
  }
  auto informer = InformerCore::Create(env, std::move(describe),
                                       {.objects = std::move(lister_watchers), .namespaced = true},
                                       std::move(settings));
  informer->LogIfError(used);
  if (watches_in_vain) {
    informer->LogIfError(
        Error(Reason::kInvalidArgument,
              "if_forbidden.watch_namespaces is for the informers of a factory; one that is given "
              "a function for its ListerWatchers has none that lists Namespaces: name them in "
              "if_forbidden.namespaces"));
  }
  return informer;
}

}  // namespace kinformer::internal
