#include "http/websocket_frames.h"

#include <algorithm>

namespace kinformer::internal::http {
namespace {

constexpr unsigned kFinal = 0x80;
constexpr unsigned kMasked = 0x80;
// Values of the length field: the length follows in 2, or 8, bytes.
constexpr unsigned kLength16 = 126;
constexpr unsigned kLength64 = 127;
constexpr std::size_t kMaskBytes = 4;

void AppendBigEndian(std::uint64_t value, std::size_t bytes, std::string& out) {
  for (std::size_t i = bytes; i-- > 0;) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

unsigned Byte(char c) { return static_cast<unsigned char>(c); }

std::size_t LengthBytes(unsigned length) {
  if (length == kLength16) return 2;
  return length == kLength64 ? 8 : 0;
}

}  // namespace

std::string WebSocketFrameHead(WebSocketOpcode opcode, std::size_t size) {
  std::string head;
  head.push_back(static_cast<char>(kFinal | static_cast<unsigned>(opcode)));
  if (size < kLength16) {
    head.push_back(static_cast<char>(size));
  } else if (size <= 0xffff) {
    head.push_back(static_cast<char>(kLength16));
    AppendBigEndian(size, 2, head);
  } else {
    head.push_back(static_cast<char>(kLength64));
    AppendBigEndian(size, 8, head);
  }
  return head;
}

std::string WebSocketCloseFrame(std::uint16_t code) {
  std::string frame = WebSocketFrameHead(WebSocketOpcode::kClose, 2);
  AppendBigEndian(code, 2, frame);
  return frame;
}

// Size of the header, as far as known from the bytes received.
std::size_t WebSocketReader::HeadSize() const {
  if (head_size_ < 2) return 2;
  const unsigned second = Byte(head_[1]);
  return 2 + LengthBytes(second & ~kMasked) + ((second & kMasked) != 0 ? kMaskBytes : 0);
}

WebSocketReader::Event WebSocketReader::Read(std::string_view& data) {
  while (over_ == Event::kNone && !data.empty()) {
    if (in_payload_) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, data.size()));
      TakePayload(data.substr(0, size));
      data.remove_prefix(size);
    } else {
      head_[head_size_++] = data.front();
      data.remove_prefix(1);
      if (head_size_ < HeadSize()) continue;
      over_ = TakeHead();
      if (over_ != Event::kNone) break;
    }
    if (left_ > 0) continue;
    const Event event = EndFrame();
    if (event != Event::kNone) return event;
  }
  return over_;
}

WebSocketReader::Event WebSocketReader::TakeHead() {
  const unsigned second = Byte(head_[1]);
  if ((second & kMasked) == 0) return Event::kUnmasked;
  const auto opcode = static_cast<WebSocketOpcode>(Byte(head_[0]) & 0x0f);
  if (opcode == WebSocketOpcode::kClose) return Event::kClose;
  left_ = second & ~kMasked;
  if (const std::size_t bytes = LengthBytes(second & ~kMasked); bytes > 0) {
    left_ = 0;
    for (std::size_t i = 0; i < bytes; ++i) left_ = left_ << 8 | Byte(head_[2 + i]);
    left_ &= ~std::uint64_t{0} >> 1;  // the first bit is ignored
  }
  const bool control = opcode == WebSocketOpcode::kPing || opcode == WebSocketOpcode::kPong;
  if (!control && left_ > kMaxPayload) return Event::kTooLong;
  in_payload_ = true;
  ping_.clear();
  return Event::kNone;
}

void WebSocketReader::TakePayload(std::string_view part) {
  const bool ping = (Byte(head_[0]) & 0x0f) == static_cast<unsigned>(WebSocketOpcode::kPing);
  for (std::size_t i = 0; ping && i < part.size() && ping_.size() < kMaxControlPayload; ++i) {
    const char mask = head_[head_size_ - kMaskBytes + ping_.size() % kMaskBytes];
    ping_.push_back(static_cast<char>(part[i] ^ mask));
  }
  left_ -= part.size();
}

WebSocketReader::Event WebSocketReader::EndFrame() {
  in_payload_ = false;
  head_size_ = 0;
  const bool ping = (Byte(head_[0]) & 0x0f) == static_cast<unsigned>(WebSocketOpcode::kPing);
  return ping ? Event::kPing : Event::kNone;
}

}  // namespace kinformer::internal::http
