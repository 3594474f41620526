// http/gzip_deflater.h
//
// GzipDeflater: compresses a response body as it streams.

#ifndef KINFORMER_HTTP_GZIP_DEFLATER_H_
#define KINFORMER_HTTP_GZIP_DEFLATER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace kinformer::internal::http {

// Level 1, as kube-apiserver: higher levels cost time and save little. Thread-compatible.
class GzipDeflater {
 public:
  GzipDeflater();
  ~GzipDeflater();
  GzipDeflater(const GzipDeflater&) = delete;
  GzipDeflater& operator=(const GzipDeflater&) = delete;

  // Size of the header of every gzip member.
  static constexpr std::size_t kHeaderBytes = 10;

  enum class Flush : unsigned char { kNo, kSync, kFinish };
  // Begins a new gzip member. REQUIRES: the last one is finished.
  void Restart();
  // Appends compressed `data` to `out`; after kSync the peer can decode everything so far.
  void Deflate(std::string_view data, Flush flush, std::string& out);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_GZIP_DEFLATER_H_
