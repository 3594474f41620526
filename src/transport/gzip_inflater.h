// transport/gzip_inflater.h
//
// GzipInflater: decodes `Content-Encoding: gzip` as the bytes arrive. libcurl's own decoder stops
// after the first gzip member; newer API servers compress a streamed list as one member per flush,
// so this class reads all members.

#ifndef KINFORMER_TRANSPORT_GZIP_INFLATER_H_
#define KINFORMER_TRANSPORT_GZIP_INFLATER_H_

#include <functional>
#include <memory>
#include <string_view>

#include "kinformer/base/result.h"

namespace kinformer::internal::transport {

// Decodes one body. Thread-compatible. Does not block.
class GzipInflater {
 public:
  GzipInflater();
  ~GzipInflater();
  GzipInflater(const GzipInflater&) = delete;
  GzipInflater& operator=(const GzipInflater&) = delete;

  // Decodes `data`, and passes all bytes that can be decoded so far to `sink`, in pieces that are
  // valid during the call. Errors (kDecode) are final. If `sink` returns false, the rest of `data`
  // is dropped and not decoded.
  Result<void> Write(std::string_view data, const std::function<bool(std::string_view)>& sink);
  // Call it at the end of the body. kUnexpectedEof inside a member.
  [[nodiscard]] Result<void> Finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_GZIP_INFLATER_H_
