// http/outbox.h
//
// Outbox: what a connection has yet to write: short texts of its own between pieces of bodies that
// it shares with others.

#ifndef KINFORMER_HTTP_OUTBOX_H_
#define KINFORMER_HTTP_OUTBOX_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/transport.h"

namespace kinformer::internal::http {

// Long pieces are held, not copied. An empty one holds no memory. Thread-compatible.
class Outbox {
 public:
  void Append(std::string_view text);
  void Append(BodyChunk chunk);
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  // The front of it, in as many pieces as a write may take. Valid until the next change.
  void Front(std::vector<std::string_view>& pieces) const;
  // That many bytes have gone.
  void Consume(std::size_t bytes);
  void Clear();

 private:
  struct Piece {
    std::string text{};  // where chunk has no bytes
    BodyChunk chunk{};
    [[nodiscard]] std::string_view bytes() const {
      return chunk.bytes.empty() ? std::string_view(text) : chunk.bytes;
    }
  };
  std::vector<Piece> pieces_{};
  std::size_t first_ = 0;  // pieces before it have gone
  std::size_t done_ = 0;   // bytes of the first that have gone
  std::size_t size_ = 0;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_OUTBOX_H_
