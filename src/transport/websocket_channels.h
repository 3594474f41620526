// transport/websocket_channels.h
//
// Channels of Kubernetes' WebSockets (*.channel.k8s.io): the first byte of each message is the
// number of the channel that the message belongs to.

#ifndef KINFORMER_TRANSPORT_WEBSOCKET_CHANNELS_H_
#define KINFORMER_TRANSPORT_WEBSOCKET_CHANNELS_H_

#include <optional>
#include <string_view>

#include "transport/websocket_frames.h"

namespace kinformer::internal::transport {

// Protocols. v5 is v4 with kCloseChannel.
constexpr const char* kChannelsV5 = "v5.channel.k8s.io";
constexpr const char* kChannelsV4 = "v4.channel.k8s.io";

// Channels of a command.
enum CommandChannel : unsigned char {
  kStdinChannel = 0,
  kStdoutChannel = 1,
  kStderrChannel = 2,
  kErrorChannel = 3,    // a Status that tells how the command ended
  kResizeChannel = 4,   // {"Width":80,"Height":24}
  kCloseChannel = 255,  // the number of a channel whose stream has ended
};

// A port has two channels, 2i and 2i+1, for data and for an error. Each begins with the number of
// the port, in two bytes, the lower one first.
constexpr int kPortHeadBytes = 2;

// Finds the channels of messages. Thread-compatible.
class ChannelReader {
 public:
  struct Part {
    unsigned char channel = 0;
    std::string_view bytes{};  // without the channel
    bool ends = false;         // the message
  };
  // Returns nullopt while the channel is not known.
  std::optional<Part> Take(const WebSocketReader::Piece& piece) {
    std::string_view bytes = piece.bytes;
    if (piece.begins) channel_.reset();
    if (!channel_ && !bytes.empty()) {
      channel_ = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
    }
    if (!channel_) return std::nullopt;
    return Part{.channel = *channel_, .bytes = bytes, .ends = piece.ends};
  }

 private:
  std::optional<unsigned char> channel_;  // of the message that comes
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_WEBSOCKET_CHANNELS_H_
