// http/websocket_messages.h
//
// WebSocketMessages: converts the messages of a body to frames.

#ifndef KINFORMER_HTTP_WEBSOCKET_MESSAGES_H_
#define KINFORMER_HTTP_WEBSOCKET_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/client/transport.h"

#include "http/outbox.h"
#include "http/request_policy.h"

namespace kinformer::internal::http {

// Holds the pieces of a message until it is complete, since a frame begins with its length; copies
// no long pieces. Holds nothing between messages. Thread-compatible.
class WebSocketMessages {
 public:
  explicit WebSocketMessages(MessageForm form) : form_(form) {}

  void Add(BodyChunk chunk, Outbox& out);
  // Ends the body; an unfinished message is sent as it is.
  void End(Outbox& out);

 private:
  // Returns how many of the bytes belong to the current message.
  std::size_t Take(std::string_view bytes);
  void Emit(Outbox& out);

  const MessageForm form_;
  std::vector<BodyChunk> message_{};
  std::size_t size_ = 0;
  bool whole_ = false;
  // Parsing state for messages that follow their length.
  std::size_t length_bytes_ = 0;
  std::size_t length_ = 0;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_MESSAGES_H_
