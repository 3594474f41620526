// client/watch_call.h
//
// WatchCall: one watch, read from the network into events.

#ifndef KINFORMER_CLIENT_WATCH_CALL_H_
#define KINFORMER_CLIENT_WATCH_CALL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "client/object_head.h"
#include "client/stream_call.h"
#include "wire/watch_framer.h"

namespace kinformer::internal::client {

// Loop-confined.
class WatchCall final : public StreamCall, private wire::WatchFramer::Sink {
 public:
  WatchCall(std::shared_ptr<ListSource> source, WatchReceiver& receiver)
      : StreamCall(std::move(source)), receiver_(receiver) {}

  void Start(const ListOptions& options);

 private:
  void Begin();
  void Accepted() override;
  Result<void> Feed(std::string_view data) override { return framer_->Feed(data, *this); }
  void ChunkEnd() override { receiver_.OnChunkEnd(); }
  Result<void> Judge(Result<void> result) override;
  void Ended(Result<void> result) override;

  Result<void> OnFrame(const wire::WatchFrame& frame) override;
  Result<void> OnTooLarge(const wire::WatchFrame& front, Error error) override;
  void OnBookmark(const wire::WatchFrame& frame);
  Result<void> OnObject(WatchEventType type, const wire::WatchFrame& frame);
  // Reports an object of which only the head is readable.
  Result<void> OnUnreadable(WatchEventType type, ObjectHead head, Error why);
  // Return whether the watch may deliver such objects. Others are logged and ignored.
  bool ExpectsKind(std::string_view kind);
  bool ExpectsNamespace(std::string_view namespace_);
  // Converts an ERROR event, or an event of unknown type, to an Error.
  [[nodiscard]] Error ErrorOf(const wire::WatchFrame& frame);
  // Logs an unexpected object, but only once for each watch, since a server that sends one of them
  // sends many.
  void Ignore(std::string_view message, std::string_view what);

  WatchReceiver& receiver_;
  std::int64_t seconds_ = 0;
  Timer initial_list_timer_;
  Timer overdue_;
  bool ignored_ = false;
  std::optional<wire::WatchFramer> framer_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_WATCH_CALL_H_
