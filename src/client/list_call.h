// client/list_call.h
//
// ListCall: one page of a list, read from the network into blocks.

#ifndef KINFORMER_CLIENT_LIST_CALL_H_
#define KINFORMER_CLIENT_LIST_CALL_H_

#include <memory>
#include <optional>
#include <string_view>

#include "client/object_head.h"
#include "client/stream_call.h"
#include "wire/list_splitter.h"

namespace kinformer::internal::client {

// Loop-confined.
class ListCall final : public StreamCall, private wire::ListSplitter::Sink {
 public:
  ListCall(std::shared_ptr<ListSource> source, ListReceiver& receiver)
      : StreamCall(std::move(source)), receiver_(receiver) {}

  void Start(const ListOptions& options);
  // Starts without passing the list gate: for requests that cost the server little.
  void StartAtOnce(const ListOptions& options, Duration timeout);

 private:
  void Accepted() override;
  Result<void> Feed(std::string_view data) override;
  void ChunkEnd() override { receiver_.OnChunkEnd(); }
  Result<void> Judge(Result<void> result) override;
  void Ended(Result<void> result) override;
  Result<void> OnItem(std::string_view item, const wire::JsonBitmap* bitmap) override;
  Result<void> OnTooLarge(std::string_view front, Error error) override;
  // Reports an unreadable object. Returns an error, which ends the list, if it has no name.
  Result<void> Unreadable(ObjectHead head, Error why);
  [[nodiscard]] Result<void> InContext(Result<void> result);

  ListReceiver& receiver_;
  std::optional<wire::ListSplitter> splitter_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_LIST_CALL_H_
