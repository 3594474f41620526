// client/tools/port_call.h
//
// PortCall: a WebSocket to one port of a pod.

#ifndef KINFORMER_CLIENT_TOOLS_PORT_CALL_H_
#define KINFORMER_CLIENT_TOOLS_PORT_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/api/corev1.h"
#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"

#include "client/tools/websocket_call.h"

namespace kinformer::internal::client {

class PortCall;

// Gets what comes from the pod. Loop-confined.
class PortReceiver {
 public:
  virtual ~PortReceiver() = default;
  // Called once, before everything else but OnPortEnd.
  virtual void OnPortOpen(std::shared_ptr<PortCall> call) = 0;
  virtual void OnPortBytes(std::string_view bytes) = 0;
  // Called when what was sent has left.
  virtual void OnPortSent() = 0;
  // Called once, last. OK: the pod has closed.
  virtual void OnPortEnd(Result<void> result) = 0;
};

// Everything but Start is confined to the loop.
class PortCall final : public WebSocketCall {
 public:
  // Begins a connection, until a stop request of `call`. Its calls of `receiver`, which it does not
  // keep, come later. An error: it cannot be sent, and there are no calls. `running` is kept until
  // the loop has let go of it. Thread-safe.
  static Result<void> Start(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                            std::uint16_t port, std::weak_ptr<PortReceiver> receiver,
                            CallOptions call, std::shared_ptr<void> running);

  // For Start.
  PortCall(const std::shared_ptr<Engine>& engine, ExchangeRequest request,
           std::weak_ptr<PortReceiver> receiver);

  void Send(std::string_view bytes);
  // Sends as much of them as the connection may hold; call it again from OnPortSent.
  void Send(OutgoingBytes& bytes);
  [[nodiscard]] std::size_t unsent() { return exchange() == nullptr ? 0 : exchange()->unsent(); }
  void SetPaused(bool paused) {
    if (exchange() != nullptr) exchange()->SetPaused(paused);
  }

 private:
  void OnOpen(const std::string& protocol) override;
  void OnSent() override;
  void OnChannel(unsigned char channel, std::string_view bytes, bool ends) override;
  Result<void> Judge(Result<void> end) override;

  const std::weak_ptr<PortReceiver> receiver_;
  std::array<std::size_t, 2> heads_{};  // bytes that have come of the port's number, by channel
  std::string error_;                   // of the pod's side
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_PORT_CALL_H_
