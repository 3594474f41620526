// http/http2_client_for_test.h
//
// Http2Client: the client's end of an HTTP/2 connection of a ConnectionScene. It records all that
// the server sends.

#ifndef KINFORMER_HTTP_HTTP2_CLIENT_FOR_TEST_H_
#define KINFORMER_HTTP_HTTP2_CLIENT_FOR_TEST_H_

#include <cstdint>
#include <map>
#include <memory>
#include <nghttp2/nghttp2.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {

class Http2Client {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;
  // Data that the server has sent on a stream.
  struct Seen {
    std::string head{};  // "name=value;" for each field of all heads
    std::string data{};
    bool ended = false;      // the stream is closed
    std::uint32_t code = 0;  // with this error code
  };

  // `greet`: sends the settings at once. `window`: of each stream.
  explicit Http2Client(std::unique_ptr<RawClient> raw, bool greet = true,
                       std::uint32_t window = 65535)
      : raw_(std::move(raw)) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &OnClose);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_session_client_new2(&session_, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    const nghttp2_settings_entry entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &entry, 1);
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, 1 << 30);
    if (greet) Pump();
  }
  ~Http2Client() { nghttp2_session_del(session_); }
  Http2Client(const Http2Client&) = delete;
  Http2Client& operator=(const Http2Client&) = delete;

  [[nodiscard]] RawClient& raw() { return *raw_; }
  [[nodiscard]] nghttp2_session* session() { return session_; }
  Seen& operator[](std::int32_t id) { return seen[id]; }

  // Sends a request and returns its stream. `body`: all of it; null: none. `open`: the stream is
  // not ended after the body.
  std::int32_t Request(std::string_view method, const Fields& more = {},
                       const std::string* body = nullptr, bool open = false) {
    Fields all{{":method", std::string(method)}, {":scheme", "https"}, {":path", "/"}};
    all.insert(all.end(), more.begin(), more.end());
    if (body != nullptr || open) bodies_.push_back({body == nullptr ? "" : *body, open});
    return Submit(all, body != nullptr || open);
  }
  std::int32_t Submit(const Fields& fields, bool body) {
    std::vector<nghttp2_nv> list;
    for (const auto& [name, value] : fields) {
      list.push_back({reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
                      reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
                      value.size(), NGHTTP2_NV_FLAG_NONE});
    }
    nghttp2_data_provider provider{};
    if (body) provider.source.ptr = &bodies_.back();
    provider.read_callback = &ReadBody;
    const std::int32_t id = nghttp2_submit_request(session_, nullptr, list.data(), list.size(),
                                                   body ? &provider : nullptr, nullptr);
    last_body_[id] = body ? &bodies_.back() : nullptr;
    Pump();
    return id;
  }
  // Continues the body of an open stream.
  void Send(std::int32_t id, std::string_view part, bool open) {
    last_body_[id]->left += part;
    last_body_[id]->open = open;
    nghttp2_session_resume_data(session_, id);
    Pump();
  }
  // Exchanges all that can be exchanged without time passing.
  void Pump() {
    for (bool again = true; again;) {
      again = false;
      const std::uint8_t* bytes = nullptr;
      while (true) {
        const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
        if (size <= 0) break;
        raw_->Send({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
        again = true;
      }
      const std::string got = raw_->Receive();
      if (got.empty()) continue;
      again = true;
      received += got.size();
      nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(got.data()),
                               got.size());
    }
  }

  std::map<std::int32_t, Seen> seen{};
  std::vector<std::string> settings{};  // "id=value;" of each frame that is no acknowledgement
  std::vector<std::string> goaways{};   // "last stream:code"
  std::size_t received = 0;

 private:
  struct Body {
    std::string left;
    bool open = false;
  };
  static Http2Client& Of(void* self) { return *static_cast<Http2Client*>(self); }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* self) {
    std::string& head = Of(self).seen[frame->hd.stream_id].head;
    head.append(reinterpret_cast<const char*>(name), name_size) += '=';
    head.append(reinterpret_cast<const char*>(value), value_size) += ';';
    return 0;
  }
  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t size, void* self) {
    Of(self).seen[id].data.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t code, void* self) {
    Of(self).seen[id].ended = true;
    Of(self).seen[id].code = code;
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      Of(self).goaways.push_back(std::to_string(frame->goaway.last_stream_id) + ":" +
                                 std::to_string(frame->goaway.error_code));
    }
    if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) {
      std::string& text = Of(self).settings.emplace_back();
      for (std::size_t i = 0; i < frame->settings.niv; ++i) {
        text += std::to_string(frame->settings.iv[i].settings_id) + "=" +
                std::to_string(frame->settings.iv[i].value) + ";";
      }
    }
    return 0;
  }
  static ssize_t ReadBody(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) {
    Body& body = *static_cast<Body*>(source->ptr);
    const std::size_t some = body.left.copy(reinterpret_cast<char*>(into), size);
    body.left.erase(0, some);
    if (some == 0 && body.open) return NGHTTP2_ERR_DEFERRED;
    if (body.left.empty() && !body.open) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(some);
  }

  const std::unique_ptr<RawClient> raw_;
  nghttp2_session* session_ = nullptr;
  std::deque<Body> bodies_{};
  std::map<std::int32_t, Body*> last_body_{};
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HTTP2_CLIENT_FOR_TEST_H_
