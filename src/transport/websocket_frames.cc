#include "transport/websocket_frames.h"

#include <algorithm>
#include <openssl/evp.h>

namespace kinformer::internal::transport {
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

// Masks or unmasks bytes, of which the first one is number `offset` of its frame.
void ApplyMask(const char* key, std::uint64_t offset, char* bytes, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(Byte(bytes[i]) ^ Byte(key[(offset + i) % kMaskBytes]));
  }
}

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

std::string MaskedWebSocketFrame(WebSocketOpcode opcode, std::string_view payload,
                                 std::uint32_t mask) {
  std::string frame = WebSocketFrameHead(opcode, payload.size());
  frame[1] = static_cast<char>(Byte(frame[1]) | kMasked);
  std::string key;
  AppendBigEndian(mask, kMaskBytes, key);
  frame.reserve(frame.size() + kMaskBytes + payload.size());
  frame += key;
  const std::size_t begin = frame.size();
  frame += payload;
  ApplyMask(key.data(), 0, frame.data() + begin, payload.size());
  return frame;
}

std::string WebSocketAcceptKey(std::string_view key) {
  constexpr std::string_view kRfcGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  const std::string text = std::string(key).append(kRfcGuid);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> coded{};
  const int length = EVP_EncodeBlock(coded.data(), digest.data(), static_cast<int>(size));
  return {reinterpret_cast<const char*>(coded.data()), static_cast<std::size_t>(length)};
}

// Size of the header, as far as known from the bytes received.
std::size_t WebSocketReader::HeadSize() const {
  if (head_size_ < 2) return 2;
  const unsigned second = Byte(head_[1]);
  return 2 + LengthBytes(second & ~kMasked) + ((second & kMasked) != 0 ? kMaskBytes : 0);
}

WebSocketOpcode WebSocketReader::opcode() const {
  return static_cast<WebSocketOpcode>(Byte(head_[0]) & 0x0f);
}

bool WebSocketReader::IsData() const { return opcode() <= WebSocketOpcode::kBinary; }

std::uint16_t WebSocketReader::close_code() const {
  constexpr std::uint16_t kNoCode = 1005;
  if (control_.size() < 2) return kNoCode;
  return static_cast<std::uint16_t>(Byte(control_[0]) << 8 | Byte(control_[1]));
}

char WebSocketReader::Unmasked(char byte, std::uint64_t at) const {
  if (sender_ == Sender::kServer) return byte;
  return static_cast<char>(byte ^ head_[head_size_ - kMaskBytes + at % kMaskBytes]);
}

WebSocketReader::Event WebSocketReader::Read(std::string_view& data) {
  while (over_ == Event::kNone && !data.empty()) {
    if (in_payload_) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, data.size()));
      TakePayload(data.substr(0, size));
      data.remove_prefix(size);
      if (left_ > 0 && delivers_ && IsData()) return Event::kData;
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
  if (((second & kMasked) == 0) == (sender_ == Sender::kClient)) return Event::kWrongMask;
  left_ = second & ~kMasked;
  if (const std::size_t bytes = LengthBytes(second & ~kMasked); bytes > 0) {
    left_ = 0;
    for (std::size_t i = 0; i < bytes; ++i) left_ = left_ << 8 | Byte(head_[2 + i]);
    left_ &= ~std::uint64_t{0} >> 1;  // the first bit is ignored
  }
  const bool control = opcode() >= WebSocketOpcode::kClose && opcode() <= WebSocketOpcode::kPong;
  if (!control && left_ > kMaxPayload) return Event::kTooLong;
  in_payload_ = true;
  taken_ = 0;
  control_.clear();
  piece_ = {.bytes = {}, .begins = opcode() != WebSocketOpcode::kContinuation, .ends = false};
  return Event::kNone;
}

void WebSocketReader::TakePayload(std::string_view part) {
  if (IsData() && delivers_) {
    if (taken_ > 0) piece_.begins = false;
    piece_.bytes = part;
    if (sender_ == Sender::kClient) {
      unmasked_ = part;
      const char* const key = head_.data() + head_size_ - kMaskBytes;
      ApplyMask(key, taken_, unmasked_.data(), unmasked_.size());
      piece_.bytes = unmasked_;
    }
  } else if (!IsData()) {
    for (std::size_t i = 0; i < part.size() && control_.size() < kMaxControlPayload; ++i) {
      control_.push_back(Unmasked(part[i], taken_ + i));
    }
  }
  taken_ += part.size();
  left_ -= part.size();
}

WebSocketReader::Event WebSocketReader::EndFrame() {
  in_payload_ = false;
  head_size_ = 0;
  switch (opcode()) {
    case WebSocketOpcode::kContinuation:
    case WebSocketOpcode::kText:
    case WebSocketOpcode::kBinary:
      piece_.ends = (Byte(head_[0]) & kFinal) != 0;
      return delivers_ ? Event::kData : Event::kNone;
    case WebSocketOpcode::kPing:
      return Event::kPing;
    case WebSocketOpcode::kPong:
      return Event::kPong;
    case WebSocketOpcode::kClose:
      over_ = Event::kClose;
      return over_;
  }
  return Event::kNone;
}

}  // namespace kinformer::internal::transport
