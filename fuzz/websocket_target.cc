// WebSocket data from a client: any bytes, in any pieces, must be read in the same way, and only
// the first bytes of a ping may be kept.

#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/target.h"
#include "fuzz/targets.h"
#include "http/websocket_frames.h"

namespace kinformer::fuzz {
namespace {

using internal::http::WebSocketReader;

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
    if (event == Event::kPing) {
      Require(reader.ping().size() <= 125, "a pong fits a control frame");
      seen += "ping " + std::string(reader.ping()) + "\n";
      continue;
    }
    seen += "over " + std::to_string(static_cast<int>(event)) + "\n";
    over = true;
    Require(reader.Read(data) == event, "it stays over");
  }
}

}  // namespace

void FuzzWebSocketFrames(std::string_view input) {
  Choices choices(input);
  PieceSizes sizes(choices.Byte());
  std::string_view data = choices.rest();
  WebSocketReader whole;
  std::string at_once;
  bool over = false;
  Feed(whole, data, at_once, over);
  WebSocketReader pieces;
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

}  // namespace kinformer::fuzz
