#include "transport/gzip_inflater.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <zlib.h>

namespace kinformer::internal::transport {

struct GzipInflater::State {
  z_stream stream{};
  bool ended = false;  // behind the trailer of a member, before the next one
  bool ready = false;
  std::array<char, 32768> buffer{};
};

GzipInflater::GzipInflater() : state_(std::make_unique<State>()) {
  // 16 + MAX_WBITS: gzip wrapping only.
  state_->ready = inflateInit2(&state_->stream, 16 + MAX_WBITS) == Z_OK;
}

GzipInflater::~GzipInflater() {
  if (state_->ready) inflateEnd(&state_->stream);
}

Result<void> GzipInflater::Write(std::string_view data,
                                 const std::function<bool(std::string_view)>& sink) {
  State& s = *state_;
  if (!s.ready) return Error(Reason::kDecode, "gzip body: zlib cannot allocate its state");
  while (!data.empty()) {
    const std::size_t take = std::min<std::size_t>(data.size(), std::numeric_limits<uInt>::max());
    if (s.ended && inflateReset(&s.stream) != Z_OK) {
      return Error(Reason::kDecode, "gzip body: zlib cannot start the next member");
    }
    s.ended = false;
    // zlib's interface is not const-correct; it does not write through next_in.
    s.stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
    s.stream.avail_in = static_cast<uInt>(take);
    int code = Z_OK;
    do {
      s.stream.next_out = reinterpret_cast<Bytef*>(s.buffer.data());
      s.stream.avail_out = static_cast<uInt>(s.buffer.size());
      code = inflate(&s.stream, Z_NO_FLUSH);
      if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return Error(Reason::kDecode, std::string("gzip body: ") +
                                          (s.stream.msg != nullptr ? s.stream.msg : "bad data"));
      }
      const std::size_t made = s.buffer.size() - s.stream.avail_out;
      if (made > 0 && !sink({s.buffer.data(), made})) return {};
    } while (code != Z_STREAM_END && s.stream.avail_out == 0);
    data.remove_prefix(take - s.stream.avail_in);
    s.ended = code == Z_STREAM_END;
  }
  return {};
}

Result<void> GzipInflater::Finish() const {
  if (!state_->ended) {
    return Error(Reason::kUnexpectedEof, "gzip body: it ends in the middle");
  }
  return {};
}

}  // namespace kinformer::internal::transport
