#include "conformance/websocket_exchange.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <curl/curl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <string_view>
#include <utility>

namespace kinformer::testing {
namespace {

constexpr int kMostWaitMs = 60'000;

std::string FromHex(std::string_view text) {
  std::string out;
  for (; text.size() >= 2; text.remove_prefix(2)) {
    unsigned byte = 0;
    std::from_chars(text.data(), text.data() + 2, byte, 16);
    out.push_back(static_cast<char>(byte));
  }
  return out;
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

// Waits until curl's socket is ready for `what`; false after a timeout.
bool Await(CURL* curl, short what) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(curl, CURLINFO_ACTIVESOCKET, &socket);
  pollfd wait{.fd = socket, .events = what, .revents = 0};
  return ::poll(&wait, 1, kMostWaitMs) == 1;
}

void Send(CURL* curl, std::string_view text) {
  while (!text.empty()) {
    std::size_t sent = 0;
    const CURLcode result = curl_easy_send(curl, text.data(), text.size(), &sent);
    if (result != CURLE_OK && (result != CURLE_AGAIN || !Await(curl, POLLOUT))) return;
    text.remove_prefix(sent);
  }
}

std::string ReceiveAll(CURL* curl) {
  std::string all;
  std::array<char, 16384> buffer{};
  while (true) {
    std::size_t got = 0;
    const CURLcode result = curl_easy_recv(curl, buffer.data(), buffer.size(), &got);
    if (result == CURLE_AGAIN && Await(curl, POLLIN)) continue;
    if (result != CURLE_OK || got == 0) return all;
    all.append(buffer.data(), got);
  }
}

// Removes the head from `text` and parses it into `reply`.
void TakeHead(std::string& text, ScriptReply& reply) {
  const std::size_t end = text.find("\r\n\r\n");
  std::string_view head = std::string_view(text).substr(0, end);
  std::from_chars(head.data() + std::min<std::size_t>(9, head.size()), head.data() + head.size(),
                  reply.status);
  while (true) {
    const std::size_t line = head.find("\r\n");
    if (line == std::string_view::npos) break;
    head.remove_prefix(line + 2);
    const std::string_view field = head.substr(0, head.find("\r\n"));
    const std::size_t colon = field.find(": ");
    if (colon != std::string_view::npos) {
      reply.headers.Add(field.substr(0, colon), field.substr(colon + 2));
    }
  }
  text.erase(0, end == std::string::npos ? text.size() : end + 4);
}

void AppendBigEndian(std::uint64_t value, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

void TakeFrames(std::string_view bytes, ScriptReply& reply) {
  std::string frames;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  while (bytes.size() >= 2) {
    std::uint64_t size = at(1);
    std::size_t head = 2;
    if (size >= 126) {
      head += size == 126 ? 2 : 8;
      if (bytes.size() < head) break;
      size = 0;
      for (std::size_t i = 2; i < head; ++i) size = size << 8 | at(i);
    }
    if (bytes.size() < head + size) break;
    const std::string_view payload = bytes.substr(head, static_cast<std::size_t>(size));
    frames += (frames.empty() ? "" : " ") + Hex(bytes.substr(0, 1));
    if ((at(0) & 8) != 0) {
      frames += ":" + Hex(payload);
    } else {
      if ((at(0) & 15) == 2) AppendBigEndian(size, reply.body);
      reply.body.append(payload);
    }
    bytes.remove_prefix(head + static_cast<std::size_t>(size));
  }
  EXPECT_TRUE(bytes.empty()) << "a frame that is not whole";
  reply.headers.Add("Frames", frames);
}

}  // namespace

ScriptReply WebSocketExchange(void* curl, const HttpRequest& request, const std::string& origin) {
  curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  ScriptReply reply;
  const CURLcode connected = curl_easy_perform(curl);
  EXPECT_EQ(connected, CURLE_OK) << curl_easy_strerror(connected);
  if (connected != CURLE_OK) return reply;
  HttpHeaders headers = request.headers;
  for (const auto& [name, value] :
       {std::pair<std::string_view, std::string>{"Host", origin.substr(origin.find("://") + 3)},
        {"Connection", "Upgrade"},
        {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
        {"Sec-WebSocket-Version", "13"},
        {"Origin", origin}}) {
    if (!headers.Has(name)) headers.Add(name, value);
  }
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : headers) {
    if (name == "Send-Frames" || value == "-") continue;
    text.append(name).append(": ").append(value).append("\r\n");
  }
  Send(curl, text + "\r\n" + FromHex(request.headers.Get("Send-Frames")));
  std::string all = ReceiveAll(curl);
  TakeHead(all, reply);
  if (reply.status != 101) {
    reply.body = std::move(all);
    return reply;
  }
  TakeFrames(all, reply);
  if (request.headers.Get("Accept").find("protobuf") != std::string_view::npos) {
    reply.headers.Add("Content-Type", "application/vnd.kubernetes.protobuf;stream=watch");
  }
  return reply;
}

}  // namespace kinformer::testing
