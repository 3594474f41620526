// client/testing/fake_lister_watcher.h
//
// FakeServer: one collection in memory with the list and watch semantics of an API server, and with
// answers that a test can change; and a ListerWatcher for it.

#ifndef KINFORMER_CLIENT_TESTING_FAKE_LISTER_WATCHER_H_
#define KINFORMER_CLIENT_TESTING_FAKE_LISTER_WATCHER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/block.h"
#include "kinformer/object/object_name.h"

#include "client/testing/test_pods.h"

namespace kinformer::internal::client {

// Confined to the loop, or to the test's thread while the simulation stands still.
class FakeServer {
 public:
  explicit FakeServer(Env& env) : env_(env) {}

  // ---- the collection
  std::string namespace_name = "default";  // namespace of all objects
  // The last resourceVersion assigned. Collections of one server share it.
  std::shared_ptr<std::uint64_t> revision = std::make_shared<std::uint64_t>(0);
  // Creates or updates; returns the new resourceVersion.
  std::string Put(const std::string& name, const std::string& value = "",
                  const std::string& uid = "") {
    Tell({Changed(name, value, uid)});
    return rv();
  }
  // Does the same for several objects; watchers receive them in one piece of network data.
  void PutTogether(const std::vector<std::string>& names, const std::string& value = "") {
    std::vector<Logged> events;
    for (const std::string& name : names) events.push_back(Changed(name, value, ""));
    Tell(events);
  }
  void Delete(const std::string& name) {
    const auto it = objects_.find(ObjectName{namespace_name, name});
    const std::string rv = std::to_string(++*revision);
    ObjectRef object = MakePod(namespace_name, name, rv, it->second->uid(), PodValue(*it->second));
    objects_.erase(it);
    log_.push_back({WatchEventType::kDeleted, std::move(object), *revision});
    Tell({log_.back()});
  }
  // Changes without events, as in a server restored from a backup: other content under the same
  // resourceVersion, an additional object, and a missing object.
  void Rewrite(const std::string& name, const std::string& value) {
    ObjectRef& object = objects_.at(ObjectName{namespace_name, name});
    object = MakePod(namespace_name, name, object->resourceVersion(), object->uid(), value);
  }
  void SlipIn(const std::string& name) {
    objects_[ObjectName{namespace_name, name}] = MakePod(namespace_name, name, rv());
  }
  void Lose(const std::string& name) { objects_.erase(ObjectName{namespace_name, name}); }
  void Bookmark() {
    for (Call* watch : watches_) watch->SendBookmark(std::to_string(*revision), false);
  }
  [[nodiscard]] std::string rv() const { return std::to_string(*revision); }
  void set_rv(std::uint64_t rv) { *revision = rv; }
  [[nodiscard]] const std::map<ObjectName, ObjectRef>& objects() const { return objects_; }
  // Drops the history, so that watches from earlier versions fail with 410.
  void Forget() {
    log_.clear();
    compacted_ = *revision;
  }

  // ---- settings of its answers
  bool watch_list_unsupported = false;  // set also by a reflector that has noticed it
  bool takes_entry_options = false;
  std::optional<EntryOptions> entry_options{};  // options that the informer has set
  bool never_ends_initial_events = false;
  bool answers_version = false;  // else it does not support CurrentVersion
  bool pages_ignore_rv = false;  // LIST at "0" honors the limit: no watch cache
  // Answers to the next requests of that kind; an empty optional is the normal answer.
  std::deque<std::optional<Error>> list_errors{};
  std::deque<std::optional<Error>> watch_errors{};
  std::deque<std::optional<Error>> version_errors{};
  // Overrides all other answers; empty: none.
  std::optional<Error> down{};
  // Unreadable objects in each list.
  std::vector<ObjectName> unreadable{};
  std::function<void()> on_watch{};
  // The scope that its ListerWatchers report.
  ListScope scope{};

  // ---- requests received: "LIST rv=0 limit=500", "WATCH rv=1 bookmarks", "WATCHLIST rv="
  std::vector<std::string> requests{};
  std::vector<std::int64_t> timeouts{};
  int version_questions = 0;
  int metadata_lists = 0;  // none is answered, as it cannot
  [[nodiscard]] std::size_t open_watches() const { return watches_.size(); }

  // ---- events of the open watches
  void EndWatches() {
    ForEachWatch([](Call& c) { c.Finish({}); });
  }
  void BreakWatches() {
    ForEachWatch([](Call& c) { c.Break(); });
  }
  void FailWatches(const Error& error) {
    ForEachWatch([&](Call& c) { c.Finish(error); });
  }
  void Send(WatchEventType type, ObjectRef object) {
    ForEachWatch([&](Call& c) { c.Send(type, object); });
  }
  void SendUnreadable(WatchEventType type, std::string name, std::string rv) {
    ForEachWatch([&](Call& c) { c.SendUnreadable(type, name, rv); });
  }
  void SendBookmark(std::string rv, bool end = false) {
    ForEachWatch([&](Call& c) { c.SendBookmark(rv, end); });
  }
  // Sends a piece of network data without a complete event.
  void SendPiece() {
    ForEachWatch([](Call& c) { c.SendPiece(); });
  }

  std::unique_ptr<ListerWatcher> NewListerWatcher() { return std::make_unique<Watcher>(*this); }

 private:
  struct Logged {
    WatchEventType type;
    ObjectRef object;
    std::uint64_t rv;
  };

  // A list or a watch. Tasks on the loop check through `self_` whether it still exists.
  class Call final : public ListWatchCall {
   public:
    Call(FakeServer& server, ListReceiver* list, WatchReceiver* watch)
        : server_(server), list_(list), watch_(watch) {}
    ~Call() override { std::erase(server_.watches_, this); }

    void Post(std::function<void(Call&)> task) {
      server_.env_.loop().Post([weak = std::weak_ptr<Call*>(self_), task = std::move(task)] {
        if (const std::shared_ptr<Call*> self = weak.lock()) task(**self);
      });
    }
    void Send(WatchEventType type, ObjectRef object) { Send({{type, std::move(object), 0}}); }
    // Sends all events in one piece of network data.
    void Send(std::vector<Logged> events) {
      Post([events = std::move(events)](Call& c) {
        for (const Logged& logged : events) {
          WatchEvent event;
          event.type = logged.type;
          event.object = logged.object;
          event.resourceVersion = logged.object->resourceVersion();
          c.watch_->OnEvent(event);
        }
        c.watch_->OnChunkEnd();
      });
    }
    void SendUnreadable(WatchEventType type, const std::string& name, const std::string& rv) {
      Post([type, name, rv](Call& c) {
        WatchEvent event;
        event.type = type;
        event.unreadable = true;
        const Error why(Reason::kDecode, "spec.size: bad bytes");
        event.why = &why;
        event.namespace_ = c.server_.namespace_name;
        event.name = name;
        event.resourceVersion = rv;
        c.watch_->OnEvent(event);
        c.watch_->OnChunkEnd();
      });
    }
    void SendBookmark(const std::string& rv, bool end) {
      Post([rv, end](Call& c) {
        WatchEvent event;
        event.type = WatchEventType::kBookmark;
        event.resourceVersion = rv;
        event.initial_events_end = end;
        c.watch_->OnEvent(event);
        c.watch_->OnChunkEnd();
      });
    }
    void SendPiece() {
      Post([](Call& c) { c.watch_->OnChunkEnd(); });
    }
    void Started() {
      Post([](Call& c) { c.watch_->OnStarted(); });
    }
    void Finish(Result<void> result) {
      Post([result](Call& c) {
        std::erase(c.server_.watches_, &c);
        c.watch_->OnDone(result);
      });
    }
    void Break() {
      Post([](Call& c) { c.watch_->OnBroken(); });
      Finish({});
    }
    void FinishList(Result<ListMeta> result) {
      Post([result](Call& c) { c.list_->OnDone(result); });
    }
    void Item(ObjectRef object) {
      Post([object = std::move(object)](Call& c) { c.list_->OnItem(object); });
    }
    void UnreadableItem(const ObjectName& name) {
      Post([name](Call& c) {
        c.list_->OnUnreadable(name.namespace_, name.name, Error(Reason::kDecode, "bad bytes"));
      });
    }

   private:
    FakeServer& server_;
    ListReceiver* list_;
    WatchReceiver* watch_;
    std::shared_ptr<Call*> self_ = std::make_shared<Call*>(this);
  };

  class Watcher final : public ListerWatcher {
   public:
    explicit Watcher(FakeServer& server) : server_(server) {}
    std::unique_ptr<ListWatchCall> List(const ListOptions& o, ListReceiver& r) override {
      return server_.List(o, r);
    }
    std::unique_ptr<ListWatchCall> Watch(const ListOptions& o, WatchReceiver& r) override {
      return server_.Watch(o, r);
    }
    std::unique_ptr<ListWatchCall> CurrentVersion(
        const std::function<void(Result<std::string>)>& answer) override {
      return server_.CurrentVersion(answer);
    }
    std::unique_ptr<ListWatchCall> ListMetadata(const std::string&, const ListOptions&,
                                                ListReceiver&) override {
      ++server_.metadata_lists;
      return nullptr;
    }
    ListScope Scope() const override { return server_.scope; }
    bool SetEntryOptions(const EntryOptions& o) override {
      server_.entry_options = o;
      return server_.takes_entry_options;
    }
    bool IsWatchListSemanticsUnSupported() const override { return server_.watch_list_unsupported; }
    void WatchListDeclined() override { server_.watch_list_unsupported = true; }
    std::string Describe() const override { return "pods"; }

   private:
    FakeServer& server_;
  };

  std::unique_ptr<ListWatchCall> List(const ListOptions& options, ListReceiver& receiver) {
    std::string text = "LIST rv=" + options.resourceVersion;
    text += " limit=" + std::to_string(options.limit);
    if (!options.continue_.empty()) text += " continue=" + options.continue_;
    requests.push_back(text);
    auto call = std::make_unique<Call>(*this, &receiver, nullptr);
    if (std::optional<Error> error = NextError(list_errors)) {
      call->FinishList(*error);
      return call;
    }
    std::size_t skip = 0;
    if (!options.continue_.empty()) skip = std::stoul(options.continue_);
    std::size_t i = 0;
    ListMeta meta;
    meta.resourceVersion = rv();
    for (const auto& [name, object] : objects_) {
      if (i++ < skip) continue;
      const bool pages = pages_ignore_rv || options.resourceVersion != "0";
      if (pages && options.limit > 0 && i > skip + static_cast<std::size_t>(options.limit)) {
        meta.continue_ = std::to_string(i - 1);
        break;
      }
      call->Item(object);
    }
    for (const ObjectName& name : unreadable) call->UnreadableItem(name);
    call->FinishList(meta);
    return call;
  }

  std::unique_ptr<ListWatchCall> Watch(const ListOptions& options, WatchReceiver& receiver) {
    const bool initial = options.sendInitialEvents.value_or(false);
    requests.push_back((initial ? "WATCHLIST rv=" : "WATCH rv=") + options.resourceVersion +
                       (initial ? " " + options.resourceVersionMatch : "") +
                       (options.allowWatchBookmarks ? " bookmarks" : ""));
    timeouts.push_back(options.timeoutSeconds.value_or(0));
    auto call = std::make_unique<Call>(*this, nullptr, &receiver);
    if (std::optional<Error> error = NextError(watch_errors)) {
      call->Finish(*error);
      return call;
    }
    call->Started();
    std::uint64_t from = 0;
    if (initial) {
      for (const auto& [name, object] : objects_) call->Send(WatchEventType::kAdded, object);
      if (!never_ends_initial_events) call->SendBookmark(rv(), true);
      from = *revision;
    } else {
      from = options.resourceVersion.empty() ? *revision : std::stoull(options.resourceVersion);
      if (from < compacted_) {
        call->Finish(Error(Reason::kExpired, "too old resource version").WithHttpStatus(410));
        return call;
      }
    }
    for (const Logged& logged : log_) {
      if (logged.rv > from) call->Send(logged.type, logged.object);
    }
    watches_.push_back(call.get());
    if (on_watch) on_watch();
    return call;
  }

  std::unique_ptr<ListWatchCall> CurrentVersion(
      const std::function<void(Result<std::string>)>& answer) {
    if (!answers_version) return nullptr;
    ++version_questions;
    Result<std::string> version = rv();
    if (std::optional<Error> error = NextError(version_errors)) version = *error;
    auto call = std::make_unique<Call>(*this, nullptr, nullptr);
    call->Post([version, answer](Call&) { answer(version); });
    return call;
  }

  std::optional<Error> NextError(std::deque<std::optional<Error>>& errors) {
    if (down) return down;
    if (errors.empty()) return std::nullopt;
    std::optional<Error> error = std::move(errors.front());
    errors.pop_front();
    return error;
  }
  Logged Changed(const std::string& name, const std::string& value, const std::string& uid) {
    const ObjectName key{namespace_name, name};
    const bool exists = objects_.contains(key);
    ObjectRef object = MakePod(namespace_name, name, std::to_string(++*revision), uid, value);
    objects_[key] = object;
    const auto type = exists ? WatchEventType::kModified : WatchEventType::kAdded;
    return log_.emplace_back(Logged{type, std::move(object), *revision});
  }
  void Tell(const std::vector<Logged>& events) {
    for (Call* watch : watches_) watch->Send(events);
  }
  void ForEachWatch(const std::function<void(Call&)>& visit) {
    const std::vector<Call*> all = watches_;
    for (Call* watch : all) visit(*watch);
  }

  Env& env_;
  std::uint64_t compacted_ = 0;
  std::map<ObjectName, ObjectRef> objects_;
  std::vector<Logged> log_;
  std::vector<Call*> watches_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TESTING_FAKE_LISTER_WATCHER_H_
