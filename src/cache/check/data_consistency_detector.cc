#include "cache/check/data_consistency_detector.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/data_consistency_detector.h"
#include "kinformer/event_handler.h"
#include "kinformer/internal/view.h"
#include "kinformer/log.h"
#include "kinformer/metrics.h"

#include "base/core/user_call.h"
#include "cache/watch/contained_list_watch.h"
#include "client/features.h"
#include "client/list_pager.h"

namespace kinformer::internal::cache {
namespace {

constexpr Duration kRetry = std::chrono::seconds(1);
// Number of names that the log shows for each kind of difference.
constexpr std::size_t kMostNamed = 10;

// Objects by name; null: unreadable.
using Objects = std::map<ObjectName, ObjectRef>;

bool SameObject(const ObjectRef& one, const ObjectRef& other) {
  if (!one || !other) return !one && !other;
  return SameContent(one.get(), other.get());
}

DataConsistencyReport Compare(const Objects& watched, const Objects& listed) {
  DataConsistencyReport report;
  report.objects = watched.size();
  for (const auto& [name, object] : watched) {
    const auto it = listed.find(name);
    if (it == listed.end()) {
      report.only_watched.push_back(name);
    } else if (!SameObject(object, it->second)) {
      report.different.push_back(name);
    }
  }
  for (const auto& [name, object] : listed) {
    if (!watched.contains(name)) report.only_listed.push_back(name);
  }
  return report;
}

std::string Named(const std::vector<ObjectName>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
    if (i > 0) text += ", ";
    text += names[i].ToString();
  }
  if (names.size() > kMostNamed) {
    text += " and " + std::to_string(names.size() - kMostNamed) + " more";
  }
  return text;
}

// Returns options for a LIST of the state that the watch-list has shown.
ListOptions ListOptionsOf(const ListOptions& watched, const std::string& resource_version,
                          std::size_t objects) {
  ListOptions options;
  options.labelSelector = watched.labelSelector;
  options.fieldSelector = watched.fieldSelector;
  options.timeoutSeconds = watched.timeoutSeconds;
  options.limit = watched.limit;
  // At this version a watch cache ignores the limit; etcd would not.
  if (watched.resourceVersion == "0" && watched.limit > 0 &&
      objects > static_cast<std::size_t>(watched.limit)) {
    options.limit = 0;
  }
  options.resourceVersion = resource_version;
  options.resourceVersionMatch = "Exact";
  return options;
}

// One comparison; repeats the list until it succeeds.
class Check final : public ListReceiver {
 public:
  Check(Env& env, ListerWatcher& source, const DataConsistencyOptions& options, Objects watched,
        std::string resource_version, const ListOptions& watch_options)
      : env_(env),
        source_(source),
        options_(options),
        watched_(std::move(watched)),
        resource_version_(std::move(resource_version)),
        list_(ListOptionsOf(watch_options, resource_version_, watched_.size())) {
    ListAfter(Duration(0));
  }

 private:
  void ListAfter(Duration delay) {
    // Later: the caller is the watch itself.
    timer_ = env_.loop().RunAt(env_.Now() + delay, [this] {
      listed_.clear();
      pager_.emplace(list_, /*full_list_if_expired=*/false);
      call_ = source_.List(pager_->request(), *this);
    });
  }

  void OnItem(ObjectRef object) override {
    ObjectName name = NameOf(*object);
    listed_[std::move(name)] = std::move(object);
  }
  void OnUnreadable(std::string_view namespace_, std::string_view name,
                    const Error& /*error*/) override {
    listed_[{std::string(namespace_), std::string(name)}] = {};
  }
  void OnDone(Result<ListMeta> result) override {
    call_.reset();
    const Result<bool> more = result ? pager_->Took(*result) : Result<bool>(result.error());
    if (!more.ok()) return Failed(more.error());
    if (!*more) return Report();
    call_ = source_.List(pager_->request(), *this);
  }

  void Failed(const Error& error) {
    const bool forgotten = IsResourceExpired(error) || IsGone(error);
    env_.log().Log(LogLevel::kInfo,
                   forgotten ? "the server has forgotten the version of a watch-list, which is "
                               "not compared with a list"
                             : "the list to compare a watch-list with failed, and is repeated",
                   {{"informer", source_.Describe()},
                    {"resourceVersion", resource_version_},
                    {"err", error.ToString()}});
    if (!forgotten) ListAfter(kRetry);
  }

  void Report() {
    DataConsistencyReport report = Compare(watched_, listed_);
    report.resourceVersion = resource_version_;
    watched_.clear();
    listed_.clear();
    if (!report.Equal()) {
      env_.metrics()
          .NewCounter("kinformer_watchlist_inconsistencies_total",
                      "Watch-lists that said something else than a list at the same version.",
                      {{"name", source_.Describe()}})
          ->Add();
      env_.log().Log(LogLevel::kError,
                     "data inconsistency detected: a watch-list differs from the list at its "
                     "version",
                     {{"informer", source_.Describe()},
                      {"resourceVersion", resource_version_},
                      {"only_watched", Named(report.only_watched)},
                      {"only_listed", Named(report.only_listed)},
                      {"different", Named(report.different)}});
    }
    if (!options_.on_checked) return;
    (void)base::CallUser(env_, "on_checked", [&] { options_.on_checked(report); });
  }

  Env& env_;
  ListerWatcher& source_;
  const DataConsistencyOptions& options_;
  Objects watched_;
  const std::string resource_version_;
  const ListOptions list_;
  Objects listed_;
  std::optional<client::ListPager> pager_;
  Timer timer_;
  std::unique_ptr<ListWatchCall> call_;
};

class DataConsistencyDetector final : public ListerWatcher {
 public:
  DataConsistencyDetector(Env& env, std::unique_ptr<ListerWatcher> of,
                          DataConsistencyOptions options)
      : env_(env), of_(std::move(of)), contained_(env, *of_), options_(std::move(options)) {}

  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) override {
    return contained_.List(options, receiver);
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options,
                                       WatchReceiver& receiver) override {
    if (!options.sendInitialEvents.value_or(false) || !options.continue_.empty()) {
      return contained_.Watch(options, receiver);
    }
    return std::make_unique<WatchList>(*this, options, receiver);
  }
  std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string> version)>& answer) override {
    return contained_.CurrentVersion(answer);
  }
  std::unique_ptr<ListWatchCall> ListMetadata(const std::string& namespace_,
                                              const ListOptions& options,
                                              ListReceiver& receiver) override {
    return contained_.ListMetadata(namespace_, options, receiver);
  }
  [[nodiscard]] ListScope Scope() const override { return contained_.Scope(); }
  [[nodiscard]] bool SetEntryOptions(const EntryOptions& options) override {
    return contained_.SetEntryOptions(options);
  }
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override {
    return contained_.IsWatchListSemanticsUnSupported();
  }
  void WatchListDeclined() override { contained_.WatchListDeclined(); }
  [[nodiscard]] std::string Describe() const override { return contained_.Describe(); }

 private:
  // Forwards the events of a watch-list, and records them until it is complete.
  class WatchList final : public ListWatchCall, public WatchReceiver {
   public:
    WatchList(DataConsistencyDetector& detector, ListOptions options, WatchReceiver& receiver)
        : detector_(detector),
          options_(std::move(options)),
          receiver_(receiver),
          call_(detector.contained_.Watch(options_, *this)) {}

   private:
    void OnSent() override { receiver_.OnSent(); }
    void OnStarted() override { receiver_.OnStarted(); }
    void OnBroken() override { receiver_.OnBroken(); }
    void OnChunkEnd() override { receiver_.OnChunkEnd(); }
    void OnDone(Result<void> result) override {
      receiver_.OnDone(std::move(result));  // may destroy this
    }
    void OnEvent(const WatchEvent& event) override {
      if (!complete_) Write(event);
      receiver_.OnEvent(event);
    }

    void Write(const WatchEvent& event) {
      if (event.type == WatchEventType::kBookmark) {
        if (!event.initial_events_end) return;
        complete_ = true;
        detector_.Begin(std::exchange(objects_, {}), event.resourceVersion, options_);
        return;
      }
      ObjectName name = event.object
                            ? NameOf(*event.object)
                            : ObjectName{std::string(event.namespace_), std::string(event.name)};
      if (event.type == WatchEventType::kDeleted) {
        objects_.erase(name);
      } else {
        objects_[std::move(name)] = event.object;
      }
    }

    DataConsistencyDetector& detector_;
    const ListOptions options_;
    WatchReceiver& receiver_;
    Objects objects_;
    bool complete_ = false;
    const std::unique_ptr<ListWatchCall> call_;
  };

  void Begin(Objects objects, std::string_view resource_version, const ListOptions& options) {
    if (resource_version.empty() || resource_version == "0") return;
    env_.log().Log(LogLevel::kInfo,
                   "a watch-list is compared with a list, which costs the server a request",
                   {{"informer", Describe()}, {"resourceVersion", std::string(resource_version)}});
    check_ = std::make_unique<Check>(env_, contained_, options_, std::move(objects),
                                     std::string(resource_version), options);
  }

  Env& env_;
  const std::unique_ptr<ListerWatcher> of_;
  ContainedListWatch contained_;
  const DataConsistencyOptions options_;
  std::unique_ptr<Check> check_;
};

}  // namespace

std::unique_ptr<ListerWatcher> DetectingIfAsked(Env& env,
                                                std::unique_ptr<ListerWatcher> lister_watcher) {
  if (lister_watcher == nullptr || !client::WatchListInconsistencyDetectorEnabled()) {
    return lister_watcher;
  }
  return NewDataConsistencyDetector(env, std::move(lister_watcher));
}

}  // namespace kinformer::internal::cache

namespace kinformer {

std::unique_ptr<ListerWatcher> NewDataConsistencyDetector(Env& env,
                                                          std::unique_ptr<ListerWatcher> of,
                                                          DataConsistencyOptions options) {
  return std::make_unique<internal::cache::DataConsistencyDetector>(env, std::move(of),
                                                                    std::move(options));
}

}  // namespace kinformer
