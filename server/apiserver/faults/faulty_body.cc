#include "apiserver/faults/faulty_body.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <string>
#include <utility>

namespace kinformer::apiserver {
namespace {

// A garbage text is repeated in pieces of this size.
constexpr std::size_t kGarbagePiece = std::size_t{64} << 10;

// Limit of the response bytes that are gathered into one piece.
constexpr std::size_t kWhole = std::size_t{64} << 20;

// Forwards a response, without headers that no longer apply.
class FaultyResponse : public ResponseStream {
 public:
  FaultyResponse(ResponsePtr inner, FaultRule rule)
      : inner_(std::move(inner)), rule_(std::move(rule)) {}

  [[nodiscard]] bool ready() const override { return inner_->ready(); }
  [[nodiscard]] int status() const override { return inner_->status(); }
  [[nodiscard]] const HttpHeaders& headers() const override {
    if (headers_.size() == 0) {
      for (const auto& [name, value] : inner_->headers()) {
        if (name != "Content-Length") headers_.Add(name, value);
      }
      AddHeaders(headers_);
    }
    return headers_;
  }
  void SetWake(std::function<void()> wake) override { inner_->SetWake(std::move(wake)); }
  void Receive(std::string_view bytes) override { inner_->Receive(bytes); }
  [[nodiscard]] bool receives() const override { return inner_->receives(); }

 protected:
  virtual void AddHeaders(HttpHeaders& headers) const { static_cast<void>(headers); }
  [[nodiscard]] ResponseStream& inner() { return *inner_; }
  [[nodiscard]] const FaultRule& rule() const { return rule_; }

 private:
  ResponsePtr inner_;
  FaultRule rule_;
  mutable HttpHeaders headers_;  // made when the response has begun
};

// Forwards the first `after_bytes` bytes unchanged.
class Spoiled final : public FaultyResponse {
 public:
  using FaultyResponse::FaultyResponse;

  [[nodiscard]] ConnectionEffect effect() const override {
    switch (rule().action) {
      case FaultAction::kBreakConnection:
        return {.cut = ConnectionEffect::Cut::kConnection};
      case FaultAction::kStallConnection:
        return {.cut = ConnectionEffect::Cut::kStall};
      default:
        return {};
    }
  }

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    const std::size_t limit = rule().after_bytes;
    if (passed_ >= limit) return Spoil(max_bytes, out);
    const std::size_t first = out.size();
    const State state = inner().Read(std::min(max_bytes, limit - passed_), out);
    for (std::size_t i = first; i < out.size(); ++i) {
      const std::size_t left = limit - passed_;
      out[i].bytes = out[i].bytes.substr(0, left);
      passed_ += out[i].bytes.size();
    }
    return passed_ >= limit ? State::kMore : state;
  }

 private:
  State Spoil(std::size_t max_bytes, std::vector<BodyChunk>& out) {
    switch (rule().action) {
      case FaultAction::kStall:
        return State::kWait;
      case FaultAction::kEndBody:
        return State::kEnd;
      case FaultAction::kGarbage:
        return Garbage(max_bytes, out);
      default:
        return State::kAbort;
    }
  }

  State Garbage(std::size_t max_bytes, std::vector<BodyChunk>& out) {
    if (rule().text.empty()) return State::kEnd;
    std::string piece;
    const std::size_t wanted = std::min(max_bytes, kGarbagePiece);
    for (; repeated_ < rule().repeat && piece.size() < wanted; ++repeated_) piece += rule().text;
    if (!piece.empty()) out.push_back(BodyChunk::Of(std::move(piece)));
    return repeated_ == rule().repeat ? State::kEnd : State::kMore;
  }

  std::size_t passed_ = 0;
  std::size_t repeated_ = 0;
};

// Sends a piece at fixed intervals.
class Dripping final : public FaultyResponse {
 public:
  Dripping(ServerState& state, ResponsePtr inner, FaultRule rule)
      : FaultyResponse(std::move(inner), std::move(rule)), state_(state) {}
  ~Dripping() override { state_.deadlines.Remove(timer_); }

  void SetWake(std::function<void()> wake) override {
    wake_ = std::move(wake);
    FaultyResponse::SetWake([this] {
      // Before the next piece is due, its timer wakes the reader.
      if (!holding_ && wake_) wake_();
    });
  }

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    if (holding_) return State::kWait;
    const std::size_t piece =
        rule().chunk_bytes == 0 ? kWhole : std::min(max_bytes, rule().chunk_bytes);
    while (held_.size() < piece && state_of_inner_ == State::kMore) {
      std::vector<BodyChunk> chunks;
      state_of_inner_ = inner().Read(max_bytes, chunks);
      for (const BodyChunk& chunk : chunks) held_ += chunk.bytes;
    }
    const State reached = state_of_inner_;
    if (reached == State::kWait) state_of_inner_ = State::kMore;  // its wake leads to another Read
    if (held_.empty()) return reached;
    const std::size_t size = std::min(piece, held_.size());
    std::string drop = held_.substr(0, size);
    held_.erase(0, size);
    out.push_back(BodyChunk::Of(std::move(drop)));
    if (rule().delay <= Duration::zero()) return State::kMore;
    holding_ = true;
    timer_ = state_.deadlines.Add(state_.env.Now() + rule().delay, [this] {
      holding_ = false;
      if (wake_) wake_();
    });
    return State::kWait;
  }

 private:
  ServerState& state_;
  std::function<void()> wake_;
  std::string held_;
  State state_of_inner_ = State::kMore;
  bool holding_ = false;
  Deadlines::Id timer_{};
};

// Forwards the bytes, but changes the connection's effect.
class Telling final : public FaultyResponse {
 public:
  using FaultyResponse::FaultyResponse;
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    return inner().Read(max_bytes, out);
  }
  [[nodiscard]] ConnectionEffect effect() const override {
    if (rule().action == FaultAction::kGoAway) return {.go_away = true};
    return {.max_streams = rule().max_streams};
  }
};

// Returns "Sat, 21 Nov 2026 03:51:00 GMT".
std::string HttpDate(WallTime time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  std::tm parts{};
  std::array<char, 64> text{};
  if (gmtime_r(&seconds, &parts) == nullptr) return {};
  return {text.data(),
          std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

// Forwards the bytes with a wrong Date.
class Misdated final : public FaultyResponse {
 public:
  Misdated(ServerState& state, ResponsePtr inner, FaultRule rule)
      : FaultyResponse(std::move(inner), std::move(rule)), state_(state) {}
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    return inner().Read(max_bytes, out);
  }

 private:
  void AddHeaders(HttpHeaders& headers) const override {
    headers.Add("Date", HttpDate(state_.env.WallNow() + rule().skew));
  }
  ServerState& state_;
};

}  // namespace

ResponsePtr NewFaultyBody(ServerState& state, ResponsePtr inner, FaultRule rule) {
  switch (rule.action) {
    case FaultAction::kDrip:
      return std::make_unique<Dripping>(state, std::move(inner), std::move(rule));
    case FaultAction::kGoAway:
    case FaultAction::kStreamLimit:
      return std::make_unique<Telling>(std::move(inner), std::move(rule));
    case FaultAction::kSkewClock:
      return std::make_unique<Misdated>(state, std::move(inner), std::move(rule));
    default:
      return std::make_unique<Spoiled>(std::move(inner), std::move(rule));
  }
}

}  // namespace kinformer::apiserver
