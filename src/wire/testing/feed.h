// wire/testing/feed.h
//
// Feeds a body in pieces to a ListSplitter or a WatchFramer.

#ifndef KINFORMER_WIRE_TESTING_FEED_H_
#define KINFORMER_WIRE_TESTING_FEED_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"

namespace kinformer::wire {

// Feeds `body` in pieces of `size`, then ends it.
template <class Splitter, class Sink>
Result<void> FeedInPieces(Splitter& splitter, Sink& sink, std::string_view body, std::size_t size) {
  while (!body.empty()) {
    // Copies each piece, so that a sanitizer notices reads past its end or after its lifetime.
    const std::string piece(body.substr(0, size));
    body.remove_prefix(piece.size());
    if (Result<void> r = splitter.Feed(piece, sink); !r) return r;
  }
  return splitter.Finish();
}

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_TESTING_FEED_H_
