#include "apiserver/node/pod_socket.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/json/json.h"

#include "apiserver/errors/status.h"
#include "apiserver/node/stream_state.h"
#include "apiserver/schema/name_rules.h"
#include "transport/websocket_channels.h"
#include "transport/websocket_frames.h"

namespace kinformer::apiserver {
namespace {

namespace ws = internal::transport;

constexpr std::size_t kMessage = std::size_t{32} << 10;
// Unsent pongs, beyond which the client is not heard.
constexpr std::size_t kMostPongs = std::size_t{64} << 10;
constexpr std::size_t kMostControlText = 4096;

HttpHeaders SocketHeaders(const UpgradeOffer& offer, const std::string& channels) {
  HttpHeaders headers;
  headers.Add("Upgrade", "websocket");
  headers.Add("Connection", "Upgrade");
  headers.Add("Sec-WebSocket-Accept", ws::WebSocketAcceptKey(offer.key));
  headers.Add("Sec-WebSocket-Protocol", channels);
  return headers;
}

// A WebSocket with channels. Ends with the tasks, or with its client. Loop-confined.
class PodSocket : public ResponseStream {
 public:
  PodSocket(std::shared_ptr<StreamState> state, HttpHeaders headers)
      : state_(std::move(state)), headers_(std::move(headers)) {}

  [[nodiscard]] int status() const final { return 101; }
  [[nodiscard]] const HttpHeaders& headers() const final { return headers_; }
  void SetWake(std::function<void()> wake) final { state_->SetWake(std::move(wake)); }
  [[nodiscard]] bool receives() const final { return out_.size() < kMostPongs && HasRoom(); }

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) final {
    if (!over_ && out_.size() < max_bytes) Fill(max_bytes);
    if (!out_.empty()) {
      out.push_back(BodyChunk::Of(std::exchange(out_, {})));
      return State::kMore;
    }
    if (over_) return State::kEnd;
    state_->Arm();
    return State::kWait;
  }

  void Receive(std::string_view bytes) final {
    using Event = ws::WebSocketReader::Event;
    while (!over_) {
      switch (reader_.Read(bytes)) {
        case Event::kNone:
          return;
        case Event::kPong:
          break;
        case Event::kData:
          if (const auto part = channels_.Take(reader_.piece())) {
            OnChannel(part->channel, part->bytes, part->ends);
          }
          break;
        case Event::kPing:
          Frame(ws::WebSocketOpcode::kPong, reader_.control());
          break;
        case Event::kClose:
          Close(ws::kWebSocketNormalClosure);
          break;
        case Event::kWrongMask:
        case Event::kTooLong:
          Close(ws::kWebSocketProtocolError);
          break;
      }
    }
  }

 protected:
  // Adds messages of at most about so many bytes.
  virtual void Fill(std::size_t max_bytes) = 0;
  virtual void OnChannel(unsigned char channel, std::string_view bytes, bool ends) = 0;
  [[nodiscard]] virtual bool HasRoom() const = 0;

  void Message(unsigned char channel, std::string_view text) {
    out_ += ws::WebSocketFrameHead(ws::WebSocketOpcode::kBinary, text.size() + 1);
    out_ += static_cast<char>(channel);
    out_ += text;
    state_->News();
  }
  // Sends what is in the pipe. Returns false if nothing was.
  bool SendFrom(BytePipe& pipe, unsigned char channel) {
    const std::string text = pipe.Take(kMessage);
    if (!text.empty()) Message(channel, text);
    return !text.empty();
  }
  void Close(std::uint16_t code) {
    out_ += ws::WebSocketCloseFrame(code);
    over_ = true;
    state_->News();
    state_->End();
  }
  [[nodiscard]] StreamState& state() const { return *state_.operator->(); }
  [[nodiscard]] std::size_t unsent() const { return out_.size(); }

 private:
  void Frame(ws::WebSocketOpcode opcode, std::string_view text) {
    out_ += ws::WebSocketFrameHead(opcode, text.size());
    out_ += text;
    state_->News();
  }

  StreamOwner state_;
  const HttpHeaders headers_;
  std::string out_{};
  bool over_ = false;
  ws::ChannelReader channels_{};
  ws::WebSocketReader reader_{ws::WebSocketReader::Sender::kClient,
                              ws::WebSocketReader::Data::kDelivered};
};

// ---- Commands

// Returns the Status that tells how a command ended.
std::string EndStatus(const Result<int>& end) {
  json::Value status = json::Value::MakeObject({{"metadata", json::Value::MakeObject()}});
  if (end && *end == 0) {
    status.Set("status", "Success");
    return status.Dump();
  }
  status.Set("status", "Failure");
  json::Value cause = json::Value::MakeObject();
  if (end) {
    const std::string code = std::to_string(*end);
    status.Set("message", "command terminated with non-zero exit code: exit status " + code);
    status.Set("reason", "NonZeroExitCode");
    cause.Set("reason", "ExitCode");
    cause.Set("message", code);
  } else {
    status.Set("message", "Internal error occurred: " + end.error().message());
    status.Set("reason", "InternalError");
    cause.Set("message", end.error().message());
    status.Set("code", 500);
  }
  status.Ensure("details").Set("causes", json::Value::MakeArray({std::move(cause)}));
  return status.Dump();
}

struct CommandPipes {
  std::shared_ptr<BytePipe> in;
  std::shared_ptr<BytePipe> out;
  std::shared_ptr<BytePipe> err;
  std::shared_ptr<Terminal> terminal;
};

class CommandResponse final : public PodSocket {
 public:
  CommandResponse(std::shared_ptr<StreamState> state, HttpHeaders headers, CommandPipes pipes,
                  const ExecRequest& request, bool ends_channels)
      : PodSocket(std::move(state), std::move(headers)),
        pipes_(std::move(pipes)),
        ends_channels_(ends_channels) {
    // Tells the client that the streams are there, as kubelets do.
    Message(request.has_stdout   ? ws::kStdoutChannel
            : request.has_stderr ? ws::kStderrChannel
                                 : ws::kErrorChannel,
            {});
  }

 private:
  void Fill(std::size_t max_bytes) override {
    const std::optional<Result<int>> end = state().ResultOf(0);
    bool more = true;
    while (more && unsent() < max_bytes) {
      const bool wrote = SendFrom(*pipes_.out, ws::kStdoutChannel);
      more = SendFrom(*pipes_.err, ws::kStderrChannel) || wrote;
    }
    if (more || !end) return;
    Message(ws::kErrorChannel, EndStatus(*end));
    Close(ws::kWebSocketNormalClosure);
  }

  void OnChannel(unsigned char channel, std::string_view bytes, bool ends) override {
    if (channel == ws::kStdinChannel) {
      pipes_.in->Add(bytes);
    } else if (channel == ws::kResizeChannel) {
      text_.append(bytes.substr(0, kMostControlText - std::min(kMostControlText, text_.size())));
      if (ends) Resize(std::exchange(text_, {}));
    } else if (channel == ws::kCloseChannel && ends_channels_ && !bytes.empty() &&
               static_cast<unsigned char>(bytes.front()) == ws::kStdinChannel) {
      pipes_.in->Close();
    }
  }
  [[nodiscard]] bool HasRoom() const override { return !pipes_.in->full(); }

  void Resize(const std::string& text) {
    const Result<json::Value> size = json::Parse(text);
    if (!size) return;
    const auto number = [&](const char* name) {
      return static_cast<std::uint16_t>(
          std::clamp<std::int64_t>((*size)[name].AsInt64().value_or(0), 0, 65535));
    };
    pipes_.terminal->Set({.width = number("Width"), .height = number("Height")});
  }

  const CommandPipes pipes_;
  const bool ends_channels_;
  std::string text_{};
};

Task<Result<int>> RunCommand(std::shared_ptr<Kubelet> kubelet, PodContainer container,
                             ExecRequest request, bool attaches, CommandPipes pipes) {
  ContainerStreams streams{.in = StreamInput(pipes.in),
                           .out = StreamOutput(pipes.out),
                           .err = StreamOutput(pipes.err),
                           .terminal = pipes.terminal};
  if (attaches) {
    co_return co_await kubelet->Attach(std::move(container), std::move(request),
                                       std::move(streams));
  }
  co_return co_await kubelet->Exec(std::move(container), std::move(request), std::move(streams));
}

// ---- Ports

struct PortPipes {
  std::uint16_t port = 0;
  std::shared_ptr<BytePipe> in{};
  std::shared_ptr<BytePipe> out{};
};

class PortResponse final : public PodSocket {
 public:
  PortResponse(std::shared_ptr<StreamState> state, HttpHeaders headers,
               std::vector<PortPipes> ports)
      : PodSocket(std::move(state), std::move(headers)),
        ports_(std::move(ports)),
        ended_(ports_.size(), false) {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      const unsigned number = ports_[i].port;
      const std::string head{static_cast<char>(number & 0xffU), static_cast<char>(number >> 8U)};
      Message(DataChannel(i), head);
      Message(ErrorChannel(i), head);
    }
  }

 private:
  static unsigned char DataChannel(std::size_t i) { return static_cast<unsigned char>(2 * i); }
  static unsigned char ErrorChannel(std::size_t i) { return static_cast<unsigned char>(2 * i + 1); }

  void Fill(std::size_t max_bytes) override {
    std::vector<std::optional<Result<int>>> ends;
    for (std::size_t i = 0; i < ports_.size(); ++i) ends.push_back(state().ResultOf(i));
    bool more = true;
    while (more && unsent() < max_bytes) {
      more = false;
      for (std::size_t i = 0; i < ports_.size(); ++i) {
        more = SendFrom(*ports_[i].out, DataChannel(i)) || more;
      }
    }
    if (more) return;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      if (!ends[i] || ended_[i]) continue;
      ended_[i] = true;
      if (!ends[i]->ok()) Message(ErrorChannel(i), ends[i]->error().message());
    }
    if (std::find(ended_.begin(), ended_.end(), false) == ended_.end()) {
      Close(ws::kWebSocketNormalClosure);
    }
  }

  void OnChannel(unsigned char channel, std::string_view bytes, bool /*ends*/) override {
    const std::size_t at = channel / 2U;
    if (channel % 2U == 0 && at < ports_.size()) ports_[at].in->Add(bytes);
  }
  [[nodiscard]] bool HasRoom() const override {
    return std::none_of(ports_.begin(), ports_.end(),
                        [](const PortPipes& port) { return port.in->full(); });
  }

  const std::vector<PortPipes> ports_;
  std::vector<bool> ended_;
};

Task<Result<int>> RunPort(std::shared_ptr<Kubelet> kubelet, PodPlace pod, PortPipes pipes) {
  const StreamInput in(pipes.in);
  const StreamOutput out(pipes.out);
  Result<void> end = co_await kubelet->PortForward(std::move(pod), pipes.port, in, out);
  if (!end) co_return end.error();
  co_return 0;
}

}  // namespace

UpgradeOffer UpgradeOfferOf(const HttpRequest& request) {
  UpgradeOffer offer{.protocol = LowerCase(request.headers.Get("Upgrade")),
                     .version = std::string(request.headers.Get("Sec-WebSocket-Version")),
                     .key = std::string(request.headers.Get("Sec-WebSocket-Key"))};
  for (const auto& [name, value] : request.headers) {
    if (LowerCase(name) != "sec-websocket-protocol") continue;
    for (std::string_view rest = value; !rest.empty();) {
      std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      while (word.starts_with(' ')) word.remove_prefix(1);
      while (word.ends_with(' ')) word.remove_suffix(1);
      if (!word.empty()) offer.channels.emplace_back(word);
    }
  }
  return offer;
}

Result<std::string> ChannelsFor(const UpgradeOffer& offer, bool commands) {
  if (offer.protocol.empty()) return BadRequestError("Upgrade request required");
  if (offer.protocol != "websocket" || offer.version != "13" || offer.key.empty()) {
    return BadRequestError("unable to upgrade: this server speaks WebSocket (version 13), not " +
                           JsonString(offer.protocol));
  }
  std::string said;
  for (const std::string& channels : offer.channels) {
    if (channels == ws::kChannelsV4 || (commands && channels == ws::kChannelsV5)) return channels;
    said += (said.empty() ? "" : " ") + channels;
  }
  return Error(Reason::kForbidden,
               "requested protocol(s) are not supported: [" + said + "]; supports [" +
                   (commands ? std::string(ws::kChannelsV5) + " " : "") + ws::kChannelsV4 + "]")
      .WithHttpStatus(403);
}

ResponsePtr CommandSocket(Env& env, std::shared_ptr<Kubelet> kubelet, PodContainer container,
                          ExecRequest request, bool attaches, const UpgradeOffer& offer,
                          const std::string& channels) {
  const auto state = std::make_shared<StreamState>(env, 1);
  const CommandPipes pipes{.in = state->NewPipe(request.has_stdin),
                           .out = state->NewPipe(request.has_stdout),
                           .err = state->NewPipe(request.has_stderr),
                           .terminal = state->NewTerminal()};
  container.pod.stop = state->stop();
  auto response = std::make_unique<CommandResponse>(state, SocketHeaders(offer, channels), pipes,
                                                    request, channels == ws::kChannelsV5);
  Spawn<Result<int>>(
      env, env.pool(),
      RunCommand(std::move(kubelet), std::move(container), std::move(request), attaches, pipes),
      [state](Result<int> end) { state->SetResult(0, std::move(end)); });
  return response;
}

ResponsePtr PortSocket(Env& env, const std::shared_ptr<Kubelet>& kubelet, PodPlace pod,
                       const std::vector<std::uint16_t>& ports, const UpgradeOffer& offer) {
  const auto state = std::make_shared<StreamState>(env, ports.size());
  std::vector<PortPipes> pipes;
  for (const std::uint16_t port : ports) {
    pipes.push_back({.port = port, .in = state->NewPipe(true), .out = state->NewPipe(true)});
  }
  pod.stop = state->stop();
  auto response =
      std::make_unique<PortResponse>(state, SocketHeaders(offer, ws::kChannelsV4), pipes);
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    Spawn<Result<int>>(env, env.pool(), RunPort(kubelet, pod, pipes[i]),
                       [state, i](Result<int> end) { state->SetResult(i, std::move(end)); });
  }
  return response;
}

}  // namespace kinformer::apiserver
