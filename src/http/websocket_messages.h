// http/websocket_messages.h
//
// WebSocketMessages: makes a frame of each message of a body.

#ifndef KINFORMER_HTTP_WEBSOCKET_MESSAGES_H_
#define KINFORMER_HTTP_WEBSOCKET_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/transport.h"

#include "http/outbox.h"
#include "http/request_policy.h"

namespace kinformer::internal::http {

// Holds the pieces of a message until it is whole, since its length stands before it; copies none
// of what is long. Between messages it holds nothing. Thread-compatible.
class WebSocketMessages {
 public:
  explicit WebSocketMessages(MessageForm form) : form_(form) {}

  void Add(BodyChunk chunk, Outbox& out);
  // The body has ended: what it left unfinished is a message, too.
  void End(Outbox& out);

 private:
  // How much of `bytes` belongs to the message that is being collected.
  std::size_t Take(std::string_view bytes);
  void Emit(Outbox& out);

  const MessageForm form_;
  std::vector<BodyChunk> message_{};
  std::size_t size_ = 0;
  bool whole_ = false;
  // Of messages that come with their length.
  std::size_t length_bytes_ = 0;
  std::size_t length_ = 0;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_MESSAGES_H_
