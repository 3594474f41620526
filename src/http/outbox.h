// http/outbox.h
//
// Outbox: data that a connection has yet to write: short strings of its own and shared pieces of
// bodies.

#ifndef KINFORMER_HTTP_OUTBOX_H_
#define KINFORMER_HTTP_OUTBOX_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/client/transport.h"

namespace kinformer::internal::http {

// Holds long pieces without copying. An empty one holds no memory. Thread-compatible.
class Outbox {
 public:
  void Append(std::string_view text);
  void Append(BodyChunk chunk);
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Returns the front, in at most as many pieces as one write takes. Valid until changed.
  void Front(std::vector<std::string_view>& pieces) const;
  // Removes the first `bytes` bytes, which were written.
  void Consume(std::size_t bytes);
  void Clear();

 private:
  struct Piece {
    std::string text{};  // if chunk has no bytes
    BodyChunk chunk{};
    [[nodiscard]] std::string_view bytes() const {
      return chunk.bytes.empty() ? std::string_view(text) : chunk.bytes;
    }
  };
  std::vector<Piece> pieces_{};
  std::size_t first_ = 0;  // pieces before it were written
  std::size_t done_ = 0;   // bytes of the first one already written
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_OUTBOX_H_
