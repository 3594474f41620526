// WebSocket data from either side: any bytes, in any pieces, must be read in the same way, and only
// the first bytes of a ping may be kept.

#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "transport/websocket_frames.h"

namespace kinformer::fuzz {
namespace {

using internal::transport::WebSocketReader;

// Appends the reader's events to `seen` as text. `over`: the reader reads no further.
void Feed(WebSocketReader& reader, std::string_view data, std::string& seen, bool& over) {
  using Event = WebSocketReader::Event;
  while (!over) {
    const std::size_t before = data.size();
    const Event event = reader.Read(data);
    Require(data.size() <= before, "it reads forward");
    if (event == Event::kNone) {
      Require(data.empty(), "all has been read");
      return;
    }
    if (event == Event::kData) {
      const WebSocketReader::Piece& piece = reader.piece();
      seen += (piece.begins ? "<" : "") + std::string(piece.bytes) + (piece.ends ? ">" : "");
      continue;
    }
    if (event == Event::kPong) continue;
    Require(reader.control().size() <= 125, "a pong fits a control frame");
    if (event == Event::kPing) {
      seen += "ping " + std::string(reader.control()) + "\n";
      continue;
    }
    seen += "over " + std::to_string(static_cast<int>(event)) + "\n";
    over = true;
    Require(reader.Read(data) == event, "it stays over");
  }
}

void FeedInPieces(WebSocketReader::Sender sender, WebSocketReader::Data delivered, PieceSizes sizes,
                  std::string_view data) {
  WebSocketReader whole(sender, delivered);
  std::string at_once;
  bool over = false;
  Feed(whole, data, at_once, over);
  WebSocketReader pieces(sender, delivered);
  std::string in_pieces;
  bool pieces_over = false;
  while (!data.empty()) {
    const std::size_t size = std::min(sizes.Next(), data.size());
    Feed(pieces, data.substr(0, size), in_pieces, pieces_over);
    data.remove_prefix(size);
  }
  RequireEqual(at_once, in_pieces, "pieces make no difference");
  Require(over == pieces_over, "nor do they to its end");
}

}  // namespace

void FuzzWebSocketFrames(std::string_view input) {
  using Sender = WebSocketReader::Sender;
  using Data = WebSocketReader::Data;
  Choices choices(input);
  const PieceSizes sizes(choices.Byte());
  for (const Sender sender : {Sender::kClient, Sender::kServer}) {
    for (const Data delivered : {Data::kDropped, Data::kDelivered}) {
      FeedInPieces(sender, delivered, sizes, choices.rest());
    }
  }
}

}  // namespace kinformer::fuzz
