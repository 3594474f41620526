#include "http/tunnel_connection.h"

#include <cstddef>
#include <utility>

#include "base/core/work_slice.h"

namespace kinformer::internal::http {
namespace {

using base::WorkSlice;

constexpr std::size_t kSliceBytes = std::size_t{64} << 10;
// Slices of the answer before other connections get a turn.
constexpr int kSlicesPerTurn = 4;

}  // namespace

TunnelConnection::TunnelConnection(ConnectionHost& host, std::unique_ptr<ByteStream> stream,
                                   TunnelStart start)
    : Connection(host, std::move(stream)),
      answer_(std::move(start.answer)),
      early_(std::move(start.chunks)),
      early_state_(start.state),
      early_input_(std::move(start.input)) {
  out() = std::move(start.out);
}

void TunnelConnection::Start() {
  answer_->SetWake(Waker());
  Frame(std::exchange(early_, {}));
  more_ = Heed(early_state_);
  const std::string input = std::exchange(early_input_, {});
  if (!leaving() && !input.empty()) TakeInput(input);
  Settle();
}

void TunnelConnection::Pump() {
  if (closed() || phase_ == Phase::kLinger) return;
  Advance();
  Settle();
}

void TunnelConnection::OnBytes(std::string_view data) {
  if (!leaving()) TakeInput(data);
  Settle();
}

void TunnelConnection::Leave() {
  answer_.reset();
  phase_ = Phase::kLeaving;
}

bool TunnelConnection::Heed(Answer::State state) {
  switch (state) {
    case Answer::State::kMore:
      return true;
    case Answer::State::kWait:
      return false;
    case Answer::State::kEnd:
      FrameEnd();
      Leave();
      return false;
    case Answer::State::kAbort:
      Abort();
      return false;
  }
  return false;
}

void TunnelConnection::Advance() {
  more_ = false;
  const WorkSlice turn(host().env());
  for (int slice = 0; !leaving(); ++slice) {
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

void TunnelConnection::Abort() {
  const ConnectionEffect effect = answer_->effect();
  answer_.reset();
  if (!LeaveWaiting(effect)) phase_ = Phase::kCut;
}

void TunnelConnection::Settle() {
  if (closed()) return;
  const bool flushed = Flush();
  if (closed()) return;
  SetReading(phase_ == Phase::kOpen && Reads(out().size()));
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

namespace {

class UpgradedConnection final : public TunnelConnection {
 public:
  UpgradedConnection(ConnectionHost& host, std::unique_ptr<ByteStream> stream, TunnelStart start)
      : TunnelConnection(host, std::move(stream), std::move(start)) {}

 private:
  void Frame(std::vector<BodyChunk> chunks) override {
    for (BodyChunk& chunk : chunks) out().Append(std::move(chunk));
  }
  void FrameEnd() override {}
  void TakeInput(std::string_view data) override {
    answer().Receive(data);
    host().Woken(*this);  // it may have an answer, or be unable to give one
  }
  // A client that does not take its answers is not heard either.
  [[nodiscard]] bool Reads(std::size_t unsent) const override {
    return unsent < kSliceBytes && answer().receives();
  }
};

}  // namespace

std::shared_ptr<Connection> NewUpgradedConnection(ConnectionHost& host,
                                                  std::unique_ptr<ByteStream> stream,
                                                  TunnelStart start) {
  return std::make_shared<UpgradedConnection>(host, std::move(stream), std::move(start));
}

}  // namespace kinformer::internal::http
