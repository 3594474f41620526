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

// Level 1, as kube-apiserver: more costs time and saves little. Thread-compatible.
class GzipDeflater {
 public:
  GzipDeflater();
  ~GzipDeflater();
  GzipDeflater(const GzipDeflater&) = delete;
  GzipDeflater& operator=(const GzipDeflater&) = delete;

  // Every member begins with the same so many bytes.
  static constexpr std::size_t kHeaderBytes = 10;

  enum class Flush : unsigned char { kNo, kSync, kFinish };
  // A new gzip member begins. REQUIRES: the last one has been finished.
  void Restart();
  // Appends what comes out to `out`; after kSync everything so far can be read by the other side.
  void Deflate(std::string_view data, Flush flush, std::string& out);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_GZIP_DEFLATER_H_
