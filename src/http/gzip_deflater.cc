#include "http/gzip_deflater.h"

#include <array>
#include <new>
#include <zlib.h>

namespace kinformer::internal::http {

struct GzipDeflater::State {
  z_stream stream{};
};

GzipDeflater::GzipDeflater() : state_(std::make_unique<State>()) {
  constexpr int kGzipWindow = 15 + 16;
  if (deflateInit2(&state_->stream, 1, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipDeflater::~GzipDeflater() { deflateEnd(&state_->stream); }

void GzipDeflater::Restart() { deflateReset(&state_->stream); }

void GzipDeflater::Deflate(std::string_view data, Flush flush, std::string& out) {
  z_stream& stream = state_->stream;
  // zlib only reads its input; the type predates const.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  const int mode = flush == Flush::kFinish ? Z_FINISH
                   : flush == Flush::kSync ? Z_SYNC_FLUSH
                                           : Z_NO_FLUSH;
  std::array<char, 16384> buffer;
  do {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    if (deflate(&stream, mode) == Z_STREAM_ERROR) return;
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  } while (stream.avail_out == 0);
}

}  // namespace kinformer::internal::http
