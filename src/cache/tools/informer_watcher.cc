#include <memory>
#include <string>
#include <utility>

#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/internal/watcher_core.h"

#include "client/tools/watch_events.h"

namespace kinformer::internal {
namespace {

WatchEventType WatchTypeOf(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return WatchEventType::kAdded;
    case EventType::kUpdated:
      return WatchEventType::kModified;
    case EventType::kDeleted:
      return WatchEventType::kDeleted;
  }
  return WatchEventType::kModified;
}

// Turns the informer's notifications into events of a watch.
class PushingHandler final : public RawHandler {
 public:
  explicit PushingHandler(std::shared_ptr<client::WatchEvents> events)
      : events_(std::move(events)) {}
  void Handle(const RawEvent& event) override {
    events_->Push({WatchTypeOf(event.type), ObjectRef::Share(event.block),
                   std::string(event.block->resourceVersion()), false});
  }

 private:
  const std::shared_ptr<client::WatchEvents> events_;
};

class InformerWatcher final : public WatcherCore {
 public:
  InformerWatcher(std::shared_ptr<InformerCore> informer,
                  std::shared_ptr<client::WatchEvents> events,
                  std::shared_ptr<cache::Listener> listener)
      : informer_(std::move(informer)),
        events_(std::move(events)),
        listener_(std::move(listener)) {}
  ~InformerWatcher() override {
    informer_->Stop();
    static_cast<void>(RemoveListener(listener_));
  }
  InformerWatcher(const InformerWatcher&) = delete;
  InformerWatcher& operator=(const InformerWatcher&) = delete;

  Result<std::optional<OwnedWatchEvent>> Next(const CallOptions& call) override {
    return events_->Next(call);
  }
  void Stop() override {
    informer_->Stop();
    events_->Stop();
  }
  [[nodiscard]] Env& env() const override { return informer_->env(); }

 private:
  const std::shared_ptr<InformerCore> informer_;
  const std::shared_ptr<client::WatchEvents> events_;
  const std::shared_ptr<cache::Listener> listener_;
};

}  // namespace

Result<std::shared_ptr<WatcherCore>> NewInformerWatcherCore(
    const std::shared_ptr<InformerCore>& informer) {
  auto events = std::make_shared<client::WatchEvents>(informer->env());
  HandlerOptions options;
  options.name = "watcher";
  options.resync_period = Duration(0);
  // The handler is fast, and no event may be dropped.
  options.overflow = OverflowPolicy::kBlock;
  Result<std::shared_ptr<cache::Listener>> listener =
      informer->AddHandler(std::make_shared<PushingHandler>(events), std::move(options));
  if (!listener) return std::move(listener).error();
  return std::make_shared<InformerWatcher>(informer, std::move(events), *std::move(listener));
}

}  // namespace kinformer::internal
