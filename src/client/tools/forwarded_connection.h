// client/tools/forwarded_connection.h
//
// ForwardedConnection: a connection of a local program to a port of a pod.

#ifndef KINFORMER_CLIENT_TOOLS_FORWARDED_CONNECTION_H_
#define KINFORMER_CLIENT_TOOLS_FORWARDED_CONNECTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

#include "kinformer/api/corev1.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/resource_client.h"

#include "client/tools/port_call.h"

namespace kinformer::internal::client {

// Loop-confined. Reads neither side faster than the other one takes it. Keeps itself while it waits
// for its socket; its owner keeps it otherwise.
class ForwardedConnection final : public PortReceiver,
                                  public std::enable_shared_from_this<ForwardedConnection> {
 public:
  // Called once, when it has ended, unless its owner has closed it.
  using OnEnd = std::function<void(ForwardedConnection& self, const Result<void>& end)>;

  ForwardedConnection(Env& env, boost::asio::ip::tcp::socket socket, OnEnd on_end);

  // `running` is kept until the loop has let go of the connection.
  void Begin(const ResourceClient<corev1::Pod>& pods, const std::string& pod, std::uint16_t port,
             std::shared_ptr<void> running);
  // Ends it at once, for its owner.
  void Close();

 private:
  // A message of a WebSocket.
  static constexpr std::size_t kMessage = std::size_t{32} << 10;

  void OnPortOpen(std::shared_ptr<PortCall> call) override;
  void OnPortBytes(std::string_view bytes) override;
  void OnPortSent() override { ReadLocal(); }
  void OnPortEnd(Result<void> result) override;
  void ReadLocal();
  void WriteLocal();
  // Ends it unless the pod sends something soon.
  void Linger();
  void End(const Result<void>& end);

  Env& env_;
  boost::asio::ip::tcp::socket socket_;
  OnEnd on_end_;
  std::stop_source stop_;
  std::shared_ptr<PortCall> call_;  // null before it is open, and once it has ended
  std::array<char, kMessage> input_{};
  std::string outgoing_;  // from the pod
  std::string output_;    // being written
  Timer linger_;
  bool reading_ = false;
  bool writing_ = false;
  bool paused_ = false;
  bool local_ended_ = false;
  bool pod_ended_ = false;
  bool ended_ = false;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_FORWARDED_CONNECTION_H_
