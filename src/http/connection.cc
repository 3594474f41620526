#include "http/connection.h"

#include <utility>

namespace kinformer::internal::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// Reads before other work of the loop gets a turn.
constexpr int kReadRounds = 4;
constexpr std::size_t kLingerBytes = std::size_t{16} << 20;
constexpr Duration kLingerTime = std::chrono::seconds(2);

}  // namespace

Connection::Connection(ConnectionHost& host, std::unique_ptr<ByteStream> stream)
    : host_(host), stream_(std::move(stream)) {}

void Connection::Close() {
  if (closed_) return;
  closed_ = true;
  const std::shared_ptr<Connection> self = shared_from_this();
  timer_.Cancel();
  out_.Clear();
  OnClose();
  if (stream_ != nullptr) stream_->Close();
  host_.Closed(*this);
}

std::function<void()> Connection::Waker() {
  return [weak = weak_from_this()] {
    const std::shared_ptr<Connection> self = weak.lock();
    if (self != nullptr && !self->closed()) self->host_.Woken(*self);
  };
}

// ---- Time. The timer is kept when the deadline moves to a later time, which is by far the most
// common change.

void Connection::SetDeadline(Duration after) {
  deadline_ = host_.env().Now() + after;
  if (timer_.armed() && armed_for_ <= deadline_) return;
  ArmTimer();
}

void Connection::ArmTimer() {
  armed_for_ = deadline_;
  timer_ = host_.env().loop().RunAt(deadline_, [weak = weak_from_this()] {
    const std::shared_ptr<Connection> self = weak.lock();
    if (self == nullptr || self->closed_) return;
    self->timer_ = Timer();
    if (self->deadline_ == SteadyTime::max()) return;
    if (self->host_.env().Now() < self->deadline_) return self->ArmTimer();
    if (self->lingering_) return self->Close();
    self->OnDeadline();
  });
}

void Connection::ForgetDeadline() { timer_ = Timer(); }

// ---- Reading

std::unique_ptr<ByteStream> Connection::ReleaseStream() {
  ForgetDeadline();
  return std::move(stream_);
}

void Connection::WaitFor(ByteStream::Next next) {
  const bool to_write = next == ByteStream::Next::kWaitWrite;
  bool& waiting = to_write ? waiting_to_write_ : waiting_to_read_;
  if (closed_ || waiting) return;
  waiting = true;
  const auto what = to_write ? tcp::socket::wait_write : tcp::socket::wait_read;
  stream_->socket().async_wait(
      what, [self = shared_from_this(), to_write](const error_code& error) {
        (to_write ? self->waiting_to_write_ : self->waiting_to_read_) = false;
        if (self->closed_ || self->stream_ == nullptr) return;
        if (error) return self->Close();
        self->OnReady(to_write);
      });
}

void Connection::OnReady(bool to_write) {
  if (frozen_) return;
  if (!to_write) return OnReadable();
  Pump();
}

void Connection::SetReading(bool wanted) {
  if (std::exchange(want_read_, wanted) || !wanted) return;
  if (in_read_ || waiting_to_read_ || read_posted_) return;
  // Posted, and not only on readiness: TLS may hold bytes that it has already received.
  read_posted_ = true;
  host_.env().loop().Post([self = shared_from_this()] {
    self->read_posted_ = false;
    self->ReadNow();
  });
}

void Connection::ReadNow() {
  in_read_ = true;
  for (int round = 0; want_read_ && !closed(); ++round) {
    if (round == kReadRounds) {
      read_posted_ = true;
      host_.env().loop().Post([self = shared_from_this()] {
        self->read_posted_ = false;
        self->ReadNow();
      });
      break;
    }
    std::vector<char>& input = host_.scratch().input;
    const ByteStream::Progress progress = stream_->Read(input);
    if (progress.next == ByteStream::Next::kClosed) return Close();
    if (lingering_) {
      lingered_ += progress.bytes;
      if (lingered_ > kLingerBytes) Close();
    } else if (progress.bytes > 0) {
      OnBytes({input.data(), progress.bytes});
    }
    if (progress.next != ByteStream::Next::kAgain) {
      if (want_read_ && !closed()) WaitFor(progress.next);
      break;
    }
  }
  in_read_ = false;
}

// ---- Writing

bool Connection::Flush() {
  if (closed_ || frozen_ || waiting_to_write_) return false;
  while (!out_.empty()) {
    std::vector<std::string_view>& pieces = host_.scratch().pieces;
    out_.Front(pieces);
    const ByteStream::Progress progress = stream_->Write(pieces);
    host_.CountSent(progress.bytes);
    if (progress.bytes > 0) out_.Consume(progress.bytes);
    if (progress.next == ByteStream::Next::kClosed) {
      Close();
      return false;
    }
    if (progress.next == ByteStream::Next::kWaitWrite) {
      // Measured from the last byte that was written.
      if (!std::exchange(full_, true) || progress.bytes > 0) {
        SetDeadline(host_.options().write_timeout);
      }
      WaitFor(progress.next);
      return false;
    }
  }
  full_ = false;
  return true;
}

void Connection::Linger() {
  lingering_ = true;
  stream_->ShutdownSend();
  SetDeadline(kLingerTime);
  SetReading(true);
}

bool Connection::LeaveWaiting(const ConnectionEffect& effect) {
  if (effect.cut != ConnectionEffect::Cut::kStall) return false;
  if (Flush()) Freeze();
  return true;
}

void Connection::Freeze() {
  frozen_ = true;
  out_.Clear();
  ForgetDeadline();
}

}  // namespace kinformer::internal::http
