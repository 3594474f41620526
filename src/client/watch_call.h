// client/watch_call.h
//
// WatchCall: one watch, from the network into events.

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
  // An object of which nothing but its head can be told.
  Result<void> OnUnreadable(WatchEventType type, ObjectHead head, Error why);
  // May a watch of this source tell of it? Else it is said, and ignored.
  bool ExpectsKind(std::string_view kind);
  bool ExpectsNamespace(std::string_view namespace_);
  // What an ERROR event says, or an event of a type that nobody knows.
  [[nodiscard]] Error ErrorOf(const wire::WatchFrame& frame);
  // Something that does not belong here: said once a watch, since a server that does it once does
  // it all the time.
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
