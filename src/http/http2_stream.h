// http/http2_stream.h
//
// Http2Stream: state of one request on an HTTP/2 connection, and of its response.

#ifndef KINFORMER_HTTP_HTTP2_STREAM_H_
#define KINFORMER_HTTP_HTTP2_STREAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nghttp2/nghttp2.h>
#include <optional>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

#include "http/answer.h"
#include "http/field_names.h"

namespace kinformer::internal::http {

// Loop-confined.
struct Http2Stream {
  std::int32_t id = 0;
  HttpRequest request{};
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;
  bool headers_too_long = false;
  bool body_too_long = false;
  std::string_view malformed{};  // the reason; empty: it is not
  bool judged = false;           // admission has been decided, or waits for the gate
  bool complete = false;         // the request is complete
  bool asked = false;            // it is being answered, or was refused early
  // Decides whether the body may be read; null: no gate, or it has opened.
  std::unique_ptr<ResponseStream> gate{};
  std::optional<Answer> answer{};
  bool head_sent = false;
  bool deferred = false;  // has no data until it is woken
  ResponseStream::State state = ResponseStream::State::kMore;
  SteadyTime
      since{};  // start of the request; later the last time at which its response made progress
  // Pulled, but not yet sent in a frame.
  std::vector<BodyChunk> pending{};
  std::size_t first = 0;   // chunks before it were sent
  std::size_t offset = 0;  // bytes of the first one already sent
  std::size_t left = 0;    // total bytes not sent
};

// Sends 100 Continue to a client that expects it.
inline void SubmitContinue(nghttp2_session* session, const Http2Stream& stream) {
  if (!SameFieldName(stream.request.headers.Get("expect"), "100-continue")) return;
  std::array<std::uint8_t, 7> name{':', 's', 't', 'a', 't', 'u', 's'};
  std::array<std::uint8_t, 3> value{'1', '0', '0'};
  const nghttp2_nv status{name.data(), value.data(), name.size(), value.size(),
                          NGHTTP2_NV_FLAG_NONE};
  nghttp2_submit_headers(session, NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1, nullptr);
}

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HTTP2_STREAM_H_
