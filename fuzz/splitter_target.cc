// Bodies of lists and watches: pieces of any size must give the same result as the whole body.

#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "wire/list_splitter.h"
#include "wire/watch_framer.h"

namespace kinformer::fuzz {

namespace {

using internal::Encoding;

// Everything found in a body, as text.
struct Outcome : wire::ListSplitter::Sink, wire::WatchFramer::Sink {
  Result<void> OnItem(std::string_view item, const wire::JsonBitmap*) override {
    units.emplace_back(item);
    return {};
  }
  Result<void> OnFrame(const wire::WatchFrame& frame) override {
    std::string text;
    for (const std::string_view part : {frame.type, frame.apiVersion, frame.kind, frame.object}) {
      text += std::to_string(part.size()) + ":";
      text += part;
    }
    units.push_back(std::move(text));
    return {};
  }

  std::vector<std::string> units;
  std::string error;
};

constexpr std::size_t kLimit = 300;

template <class Splitter>
void Feed(Splitter& splitter, std::string_view body, PieceSizes* sizes, Outcome& outcome) {
  while (!body.empty()) {
    const std::size_t size = sizes == nullptr ? body.size() : std::min(body.size(), sizes->Next());
    // A copy of its own, so that a read past the piece's end is seen.
    const std::string piece(body.substr(0, size));
    body.remove_prefix(size);
    const Result<void> fed = splitter.Feed(piece, outcome);
    if (!fed) {
      outcome.error = fed.error().message();
      return;
    }
  }
  const Result<void> finished = splitter.Finish();
  if (!finished) outcome.error = finished.error().message();
}

void RequireSame(const Outcome& whole, const Outcome& pieces) {
  Require(whole.error.empty() == pieces.error.empty(), "pieces are as well-formed as the whole",
          whole.error, pieces.error);
  Require(whole.units.size() == pieces.units.size(), "pieces give as many units as the whole",
          std::to_string(whole.units.size()) + whole.error,
          std::to_string(pieces.units.size()) + pieces.error);
  for (std::size_t i = 0; i < whole.units.size(); ++i)
    RequireEqual(pieces.units[i], whole.units[i], "pieces give the same units");
}

void FuzzList(std::string_view input, Encoding encoding) {
  Choices choices(input);
  PieceSizes sizes(choices.Byte());
  wire::ListSplitter whole(encoding, kLimit);
  wire::ListSplitter pieces(encoding, kLimit);
  Outcome of_whole;
  Outcome of_pieces;
  Feed(whole, choices.rest(), nullptr, of_whole);
  Feed(pieces, choices.rest(), &sizes, of_pieces);
  RequireSame(of_whole, of_pieces);
  for (const std::string& item : of_whole.units)
    Require(item.size() <= kLimit, "no item is larger than the limit");
  if (!of_whole.error.empty()) return;
  RequireEqual(pieces.head().apiVersion, whole.head().apiVersion, "apiVersion");
  RequireEqual(pieces.head().kind, whole.head().kind, "kind");
  RequireEqual(pieces.head().resourceVersion, whole.head().resourceVersion, "resourceVersion");
  RequireEqual(pieces.head().continue_, whole.head().continue_, "continue");
  Require(pieces.head().remainingItemCount == whole.head().remainingItemCount,
          "remainingItemCount");
}

void FuzzWatch(std::string_view input, Encoding encoding) {
  Choices choices(input);
  PieceSizes sizes(choices.Byte());
  wire::WatchFramer whole(encoding, kLimit);
  wire::WatchFramer pieces(encoding, kLimit);
  Outcome of_whole;
  Outcome of_pieces;
  Feed(whole, choices.rest(), nullptr, of_whole);
  Feed(pieces, choices.rest(), &sizes, of_pieces);
  RequireSame(of_whole, of_pieces);
}

}  // namespace

void FuzzListJson(std::string_view input) { FuzzList(input, Encoding::kJson); }
void FuzzListProtobuf(std::string_view input) { FuzzList(input, Encoding::kProtobuf); }
void FuzzWatchJson(std::string_view input) { FuzzWatch(input, Encoding::kJson); }
void FuzzWatchProtobuf(std::string_view input) { FuzzWatch(input, Encoding::kProtobuf); }

}  // namespace kinformer::fuzz
