#include "http/websocket_messages.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "transport/websocket_frames.h"

namespace kinformer::internal::http {
namespace {

using transport::WebSocketFrameHead;
using transport::WebSocketOpcode;

constexpr std::size_t kLengthBytes = 4;

}  // namespace

void WebSocketMessages::Add(BodyChunk chunk, Outbox& out) {
  while (!chunk.bytes.empty()) {
    if (form_ == MessageForm::kLengthBefore && length_bytes_ < kLengthBytes) {
      length_ = length_ << 8 | static_cast<unsigned char>(chunk.bytes.front());
      chunk.bytes.remove_prefix(1);
      if (++length_bytes_ == kLengthBytes && length_ == 0) Emit(out);
      continue;
    }
    const std::size_t size = Take(chunk.bytes);
    message_.push_back({.bytes = chunk.bytes.substr(0, size), .owner = chunk.owner});
    size_ += size;
    chunk.bytes.remove_prefix(size);
    if (whole_) Emit(out);
  }
}

std::size_t WebSocketMessages::Take(std::string_view bytes) {
  if (form_ == MessageForm::kLengthBefore) {
    const std::size_t size = std::min(bytes.size(), length_ - size_);
    whole_ = size_ + size == length_;
    return size;
  }
  const std::size_t end = bytes.find('\n');
  whole_ = end != std::string_view::npos;
  return whole_ ? end + 1 : bytes.size();
}

void WebSocketMessages::Emit(Outbox& out) {
  const bool text = form_ == MessageForm::kLine;
  out.Append(WebSocketFrameHead(text ? WebSocketOpcode::kText : WebSocketOpcode::kBinary, size_));
  for (BodyChunk& chunk : message_) out.Append(std::move(chunk));
  std::vector<BodyChunk>().swap(message_);
  size_ = length_ = length_bytes_ = 0;
  whole_ = false;
}

void WebSocketMessages::End(Outbox& out) {
  if (size_ > 0) Emit(out);
}

}  // namespace kinformer::internal::http
