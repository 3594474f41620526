#include "http/websocket_connection.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/core/work_slice.h"
#include "http/websocket_messages.h"
#include "transport/websocket_frames.h"

namespace kinformer::internal::http {
namespace {

using base::WorkSlice;
using transport::kWebSocketNormalClosure;
using transport::kWebSocketProtocolError;
using transport::WebSocketCloseFrame;
using transport::WebSocketFrameHead;
using transport::WebSocketOpcode;
using transport::WebSocketReader;

constexpr std::size_t kSliceBytes = std::size_t{64} << 10;
// Slices of the answer before other connections get a turn.
constexpr int kSlicesPerTurn = 4;
// Limit of unsent pongs; beyond it, reading pauses.
constexpr std::size_t kUnsentPongs = std::size_t{64} << 10;

class WebSocketConnection final : public Connection {
 public:
  WebSocketConnection(ConnectionHost& host, std::unique_ptr<ByteStream> stream,
                      WebSocketStart start)
      : Connection(host, std::move(stream)),
        answer_(std::move(start.answer)),
        messages_(start.form),
        early_(std::move(start.chunks)),
        early_state_(start.state),
        early_input_(std::move(start.input)) {
    out() = std::move(start.out);
  }

  void Start() override {
    answer_->SetWake(Waker());
    Frame(std::exchange(early_, {}));
    more_ = Heed(early_state_);
    TakeInput(std::exchange(early_input_, {}));
    Settle();
  }

  void Pump() override {
    if (closed() || phase_ == Phase::kLinger) return;
    Advance();
    Settle();
  }

  // The connection ends with its answer in any case.
  void GoAway() override {}

 private:
  // kLeaving and kCut: the connection ends after the last data, properly or not.
  enum class Phase : std::uint8_t { kOpen, kLeaving, kCut, kLinger };

  void OnBytes(std::string_view data) override {
    TakeInput(data);
    Settle();
  }

  void OnClose() override { answer_.reset(); }

  void TakeInput(std::string_view data) {
    using Event = WebSocketReader::Event;
    while (phase_ == Phase::kOpen) {
      const Event event = reader_.Read(data);
      if (event == Event::kNone) return;
      if (event == Event::kPing) {
        const std::string_view said = reader_.control();
        out().Append(WebSocketFrameHead(WebSocketOpcode::kPong, said.size()));
        out().Append(said);
        continue;
      }
      if (event == Event::kPong) continue;
      if (event == Event::kWrongMask) out().Append(WebSocketCloseFrame(kWebSocketProtocolError));
      Leave();
    }
  }

  void Leave() {
    answer_.reset();
    out().Append(WebSocketCloseFrame(kWebSocketNormalClosure));
    phase_ = Phase::kLeaving;
  }

  void Frame(std::vector<BodyChunk> chunks) {
    for (BodyChunk& chunk : chunks) messages_.Add(std::move(chunk), out());
  }

  // Handles the state after a pull. Returns true if more can be pulled at once.
  bool Heed(Answer::State state) {
    switch (state) {
      case Answer::State::kMore:
        return true;
      case Answer::State::kWait:
        return false;
      case Answer::State::kEnd:
        messages_.End(out());
        Leave();
        return false;
      case Answer::State::kAbort:
        Abort();
        return false;
    }
    return false;
  }

  void Advance() {
    more_ = false;
    const WorkSlice turn(host().env());
    for (int slice = 0; phase_ == Phase::kOpen; ++slice) {
      if (out().size() >= kSliceBytes && !Flush()) return;
      if (slice == kSlicesPerTurn || (slice > 0 && turn.over())) {
        more_ = true;
        return;
      }
      std::vector<BodyChunk> chunks;
      const Answer::State state = answer_->Pull(kSliceBytes, chunks);
      const bool nothing = chunks.empty();
      Frame(std::move(chunks));
      more_ = Heed(state);
      if (!more_ || nothing) return;
    }
  }

  void Abort() {
    const ConnectionEffect effect = answer_->effect();
    answer_.reset();
    if (!LeaveWaiting(effect)) phase_ = Phase::kCut;
  }

  // Writes pending data, and decides what to wait for.
  void Settle() {
    if (closed()) return;
    const bool flushed = Flush();
    if (closed()) return;
    SetReading(phase_ == Phase::kOpen && out().size() < kUnsentPongs);
    if (!flushed) return;
    switch (phase_) {
      case Phase::kOpen:
        ForgetDeadline();
        if (more_) host().Woken(*this);
        break;
      case Phase::kLeaving:
        phase_ = Phase::kLinger;
        Linger();
        break;
      case Phase::kCut:
        Close();
        break;
      case Phase::kLinger:
        break;
    }
  }

  std::unique_ptr<Answer> answer_;
  WebSocketMessages messages_;
  WebSocketReader reader_{};
  std::vector<BodyChunk> early_;
  Answer::State early_state_;
  std::string early_input_;
  Phase phase_ = Phase::kOpen;
  bool more_ = false;  // the answer had more data at the end of its turn
};

}  // namespace

std::shared_ptr<Connection> NewWebSocketConnection(ConnectionHost& host,
                                                   std::unique_ptr<ByteStream> stream,
                                                   WebSocketStart start) {
  return std::make_shared<WebSocketConnection>(host, std::move(stream), std::move(start));
}

}  // namespace kinformer::internal::http
