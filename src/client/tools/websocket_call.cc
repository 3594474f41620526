#include "client/tools/websocket_call.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/core/printable.h"
#include "object/values/text_forms.h"

namespace kinformer::internal::client {
namespace {

using transport::WebSocketOpcode;
using transport::WebSocketReader;

constexpr Duration kHeartbeat = std::chrono::seconds(5);
constexpr Duration kLongestSilence = 12 * kHeartbeat;
constexpr std::size_t kMessage = std::size_t{32} << 10;
// Bytes that the connection may hold.
constexpr std::size_t kMostUnsent = std::size_t{256} << 10;
constexpr std::uint16_t kNormalClosure = transport::kWebSocketNormalClosure;
constexpr std::uint16_t kNoCode = 1005;

std::string NewKey(Env& env) {
  std::string bytes;
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t word = env.Random();
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(word >> shift));
  }
  std::string key;
  AppendBase64(bytes, key);
  return key;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

ExchangeRequest Completed(ExchangeRequest request, const std::vector<std::string>& protocols,
                          const std::string& key) {
  request.method = "GET";
  request.pool = ConnectionPool::kStream;
  request.upgrade = true;
  request.once = true;
  request.unlimited = true;
  request.headers.Add("Connection", "Upgrade");
  request.headers.Add("Upgrade", "websocket");
  request.headers.Add("Sec-WebSocket-Version", "13");
  request.headers.Add("Sec-WebSocket-Key", key);
  request.headers.Add("Sec-WebSocket-Protocol", Joined(protocols));
  return request;
}

}  // namespace

WebSocketCall::WebSocketCall(const std::shared_ptr<Engine>& engine, ExchangeRequest request,
                             std::vector<std::string> protocols)
    : WebSocketCall(engine, std::move(request), std::move(protocols), NewKey(engine->env())) {}

WebSocketCall::WebSocketCall(std::shared_ptr<Engine> engine, ExchangeRequest request,
                             std::vector<std::string> protocols, std::string key)
    : ExchangeCall(std::move(engine), Completed(request, protocols, key)),
      protocols_(std::move(protocols)),
      key_(std::move(key)),
      target_(std::move(request.target)) {}

void WebSocketCall::OnHeaders(int /*status*/, const HttpHeaders& headers) {
  if (headers.Get("Sec-WebSocket-Accept") != transport::WebSocketAcceptKey(key_)) {
    return EndLater(
        Error(Reason::kTransport, "GET " + target_ +
                                      ": the answer 101 is not one to this request: its "
                                      "Sec-WebSocket-Accept is wrong; look at the proxies "
                                      "between here and the server"));
  }
  const std::string protocol(headers.Get("Sec-WebSocket-Protocol"));
  if (std::find(protocols_.begin(), protocols_.end(), protocol) == protocols_.end()) {
    return EndLater(Error(Reason::kTransport, "GET " + target_ +
                                                  ": the server chose the protocol " +
                                                  base::Printable(protocol) + ", and not one of " +
                                                  Joined(protocols_)));
  }
  open_ = true;
  last_heard_ = env().Now();
  ScheduleHeartbeat();
  OnOpen(protocol);
}

void WebSocketCall::OnData(std::string_view data) {
  using Event = WebSocketReader::Event;
  last_heard_ = env().Now();
  while (!ending_) {
    switch (reader_.Read(data)) {
      case Event::kNone:
        return;
      case Event::kData:
        if (const auto part = channels_.Take(reader_.piece())) {
          OnChannel(part->channel, part->bytes, part->ends);
        }
        break;
      case Event::kPing:
        SendFrame(WebSocketOpcode::kPong, reader_.control());
        break;
      case Event::kPong:
        break;
      case Event::kClose:
        SendFrame(WebSocketOpcode::kClose, reader_.control().substr(0, 2));
        return EndLater(Judge(ClosedByServer()));
      case Event::kWrongMask:
      case Event::kTooLong:
        return EndLater(Error(Reason::kDecode, "GET " + target_ +
                                                   ": the server sent a WebSocket frame that is "
                                                   "masked, or longer than 32 MiB"));
    }
  }
}

void WebSocketCall::OnDone(Result<void> result) {
  if (ending_) return;  // the result is on its way
  open_ = false;
  if (result) {
    result = Error(Reason::kUnexpectedEof,
                   "GET " + target_ + ": the connection ended without a close of the WebSocket");
  }
  Complete(Judge(std::move(result)));
}

Result<void> WebSocketCall::ClosedByServer() const {
  const std::uint16_t code = reader_.close_code();
  if (code == kNormalClosure || code == kNoCode) return {};
  return Error(Reason::kTransport,
               "GET " + target_ + ": the server closed the WebSocket with code " +
                   std::to_string(code) + ": " + base::Printable(reader_.control().substr(2)));
}

void WebSocketCall::SendMessage(unsigned char channel, std::string_view payload) {
  SendFrame(WebSocketOpcode::kBinary, std::string(1, static_cast<char>(channel)).append(payload));
}

void WebSocketCall::SendFrom(OutgoingBytes& bytes, unsigned char channel) {
  while (open_ && exchange() != nullptr && exchange()->unsent() < kMostUnsent) {
    const std::string part = bytes.Take(kMessage);
    if (part.empty()) return;
    SendMessage(channel, part);
  }
}

void WebSocketCall::SendFrame(WebSocketOpcode opcode, std::string_view payload) {
  if (!open_ || exchange() == nullptr) return;
  exchange()->Send(
      transport::MaskedWebSocketFrame(opcode, payload, static_cast<std::uint32_t>(env().Random())));
}

void WebSocketCall::EndLater(Result<void> result) {
  if (std::exchange(ending_, true)) return;
  env().loop().Post([self = shared_from_this(), result = std::move(result)]() mutable {
    static_cast<WebSocketCall&>(*self).Complete(std::move(result));
  });
}

void WebSocketCall::End() {
  open_ = false;
  heartbeat_.Cancel();
  ExchangeCall::End();
}

void WebSocketCall::ScheduleHeartbeat() {
  heartbeat_ = env().loop().RunAt(env().Now() + kHeartbeat, [this] { Heartbeat(); });
}

void WebSocketCall::Heartbeat() {
  if (!open_ || ending_) return;
  if (env().Now() - last_heard_ > kLongestSilence) {
    return EndLater(
        Judge(Error(Reason::kDeadlineExceeded, "GET " + target_ +
                                                   ": no sign of life from the server in a minute; "
                                                   "the connection is taken for dead")));
  }
  SendFrame(WebSocketOpcode::kPing, {});
  ScheduleHeartbeat();
}

}  // namespace kinformer::internal::client
