#include "client/tools/forwarded_connection.h"

#include <chrono>
#include <utility>

#include <boost/asio/write.hpp>

namespace kinformer::internal::client {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Bytes that may wait on either side before the other one is not read any more.
constexpr std::size_t kMostUnsent = std::size_t{256} << 10;
// Silence of the pod after which a connection ends whose local side has ended.
constexpr Duration kLinger = std::chrono::seconds(10);

}  // namespace

ForwardedConnection::ForwardedConnection(Env& env, tcp::socket socket, OnEnd on_end)
    : env_(env), socket_(std::move(socket)), on_end_(std::move(on_end)) {}

void ForwardedConnection::Begin(const ResourceClient<corev1::Pod>& pods, const std::string& pod,
                                std::uint16_t port, std::shared_ptr<void> running) {
  CallOptions call;
  call.stop = stop_.get_token();
  const Result<void> started =
      PortCall::Start(pods, pod, port, weak_from_this(), call, std::move(running));
  if (started) return;
  env_.loop().Post([self = shared_from_this(), started] { self->End(started); });
}

void ForwardedConnection::Close() {
  on_end_ = nullptr;
  End({});
}

void ForwardedConnection::OnPortOpen(std::shared_ptr<PortCall> call) {
  call_ = std::move(call);
  ReadLocal();
}

void ForwardedConnection::OnPortBytes(std::string_view bytes) {
  outgoing_.append(bytes);
  if (outgoing_.size() > kMostUnsent && !std::exchange(paused_, true)) call_->SetPaused(true);
  if (local_ended_) Linger();
  WriteLocal();
}

void ForwardedConnection::OnPortEnd(Result<void> result) {
  call_.reset();
  if (!result) return End(result);
  pod_ended_ = true;
  WriteLocal();
}

void ForwardedConnection::ReadLocal() {
  if (reading_ || local_ended_ || ended_ || call_ == nullptr) return;
  if (call_->unsent() >= kMostUnsent) return;
  reading_ = true;
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](const error_code& error, std::size_t size) {
                            self->reading_ = false;
                            if (self->ended_ || self->call_ == nullptr) return;
                            if (error == asio::error::eof) {
                              self->local_ended_ = true;
                              return self->Linger();
                            }
                            if (error) return self->End({});  // the local program has gone
                            self->call_->Send(std::string_view(self->input_.data(), size));
                            self->ReadLocal();
                          });
}

void ForwardedConnection::WriteLocal() {
  if (writing_ || ended_) return;
  if (outgoing_.empty()) {
    if (pod_ended_) End({});
    return;
  }
  writing_ = true;
  output_.swap(outgoing_);
  outgoing_.clear();
  asio::async_write(socket_, asio::buffer(output_),
                    [self = shared_from_this()](const error_code& error, std::size_t) {
                      self->writing_ = false;
                      if (self->ended_) return;
                      if (error) return self->End({});
                      if (self->call_ != nullptr && std::exchange(self->paused_, false)) {
                        self->call_->SetPaused(false);
                      }
                      self->WriteLocal();
                    });
}

void ForwardedConnection::Linger() {
  linger_ = env_.loop().RunAt(env_.Now() + kLinger, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->End({});
  });
}

void ForwardedConnection::End(const Result<void>& end) {
  if (std::exchange(ended_, true)) return;
  const std::shared_ptr<ForwardedConnection> self = shared_from_this();
  linger_.Cancel();
  call_.reset();
  stop_.request_stop();
  // Before the local program can see it.
  if (on_end_) std::exchange(on_end_, nullptr)(*this, end);
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

}  // namespace kinformer::internal::client
