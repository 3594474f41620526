#include "http/outbox.h"

#include <utility>

namespace kinformer::internal::http {
namespace {

// Shorter pieces are cheaper to copy than to hold and to write one by one.
constexpr std::size_t kWorthSharing = 512;
constexpr std::size_t kMaxPieces = 256;
// Limit of a string that is appended to, since growing copies it.
constexpr std::size_t kMaxText = std::size_t{16} << 10;

}  // namespace

void Outbox::Append(std::string_view text) {
  if (text.empty()) return;
  size_ += text.size();
  if (pieces_.empty() || !pieces_.back().chunk.bytes.empty() ||
      pieces_.back().text.size() + text.size() > kMaxText) {
    pieces_.emplace_back();
  }
  pieces_.back().text.append(text);
}

void Outbox::Append(BodyChunk chunk) {
  if (chunk.bytes.size() < kWorthSharing) return Append(chunk.bytes);
  size_ += chunk.bytes.size();
  pieces_.push_back({.text = {}, .chunk = std::move(chunk)});
}

void Outbox::Front(std::vector<std::string_view>& pieces) const {
  pieces.clear();
  for (std::size_t i = first_; i < pieces_.size() && pieces.size() < kMaxPieces; ++i) {
    pieces.push_back(pieces_[i].bytes());
  }
  if (!pieces.empty()) pieces.front().remove_prefix(done_);
}

void Outbox::Consume(std::size_t bytes) {
  size_ -= bytes;
  if (size_ == 0) return Clear();
  done_ += bytes;
  while (done_ >= pieces_[first_].bytes().size()) {
    done_ -= pieces_[first_].bytes().size();
    pieces_[first_] = Piece();
    ++first_;
  }
  // Amortised: each piece is moved at most once for every one that was written.
  if (first_ > pieces_.size() / 2 && first_ > 16) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

void Outbox::Clear() {
  std::vector<Piece>().swap(pieces_);
  first_ = done_ = size_ = 0;
}

}  // namespace kinformer::internal::http
