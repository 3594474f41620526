// kinformer/internal/event_channel_core.h
//
// EventChannelCore: untyped half of EventChannel (event_channel.h).

#ifndef KINFORMER_INTERNAL_EVENT_CHANNEL_CORE_H_
#define KINFORMER_INTERNAL_EVENT_CHANNEL_CORE_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer::internal {

// A channel. Thread-safe. One monitor guards the channel and its receivers: each event is pushed to
// each of them.
class EventChannelCore : public std::enable_shared_from_this<EventChannelCore> {
 public:
  using Deliver = std::function<void(const ObjectRef& object)>;
  class Receiver;

  explicit EventChannelCore(Env& env) : env_(env), monitor_(env.NewMonitor()) {}

  // Returns a receiver that keeps up to `room` events from now on.
  std::shared_ptr<Receiver> Subscribe(std::size_t room);
  Result<void> Send(const ObjectRef& object);
  void Close();

 private:
  Env& env_;
  const Pimpl<Monitor> monitor_;
  bool closed_ = false;
  std::vector<std::weak_ptr<Receiver>> receivers_;
};

// Delivers received events on the pool, one after the other, from Start until Stop.
class EventChannelCore::Receiver : public std::enable_shared_from_this<Receiver> {
 public:
  Receiver(std::shared_ptr<EventChannelCore> channel, std::size_t room)
      : channel_(std::move(channel)), room_(room) {}

  // Starts delivery. kInvalidArgument: it was started before.
  Result<void> Start(Deliver deliver);
  // Waits for a running delivery, except inside it. Drops pending events.
  void Stop();

 private:
  friend class EventChannelCore;
  void RunSoonLocked();
  void DeliverNext();

  const std::shared_ptr<EventChannelCore> channel_;
  const std::size_t room_;
  // All members are guarded by the channel's monitor.
  std::deque<ObjectRef> waiting_;
  Deliver deliver_;
  bool started_ = false;
  bool stopped_ = false;
  bool scheduled_ = false;   // a task is on its way to the pool
  bool delivering_ = false;  // deliver_ runs
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_EVENT_CHANNEL_CORE_H_
