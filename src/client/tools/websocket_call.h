// client/tools/websocket_call.h
//
// WebSocketCall: a request that becomes a WebSocket, for which a task waits.

#ifndef KINFORMER_CLIENT_TOOLS_WEBSOCKET_CALL_H_
#define KINFORMER_CLIENT_TOOLS_WEBSOCKET_CALL_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"

#include "client/engine.h"
#include "client/exchange_call.h"
#include "client/tools/outgoing_bytes.h"
#include "transport/websocket_channels.h"
#include "transport/websocket_frames.h"

namespace kinformer::internal::client {

// Speaks protocols of Kubernetes (*.channel.k8s.io), in which the first byte of each message names
// the channel that the message belongs to.
//
// Sends the request once: it is not repeated, since it may have had an effect. Asks for a sign of
// life every five seconds, and gives up after a minute without any, as kubectl does. Everything but
// construction is confined to the loop.
class WebSocketCall : public ExchangeCall {
 protected:
  // Offers `protocols`, the best first; the server must choose one of them.
  WebSocketCall(const std::shared_ptr<Engine>& engine, ExchangeRequest request,
                std::vector<std::string> protocols);

  // Called once, first, with the protocol of the server's choice.
  virtual void OnOpen(const std::string& protocol) = 0;
  // Called with each piece of a message, without the channel. `ends`: the message.
  virtual void OnChannel(unsigned char channel, std::string_view bytes, bool ends) = 0;
  // Returns the result of the call. `end`: OK after a proper close of the server.
  virtual Result<void> Judge(Result<void> end) { return end; }

  void SendMessage(unsigned char channel, std::string_view payload);
  // Sends as much of the bytes as the connection may hold; call it again from OnSent.
  void SendFrom(OutgoingBytes& bytes, unsigned char channel);
  // Ends the call after this has returned; also within the functions above.
  void EndLater(Result<void> result);
  [[nodiscard]] bool open() const { return open_; }
  void End() override;

 private:
  WebSocketCall(std::shared_ptr<Engine> engine, ExchangeRequest request,
                std::vector<std::string> protocols, std::string key);
  void OnHeaders(int status, const HttpHeaders& headers) final;
  void OnData(std::string_view data) final;
  void OnDone(Result<void> result) final;

  void SendFrame(transport::WebSocketOpcode opcode, std::string_view payload);
  Result<void> ClosedByServer() const;
  void ScheduleHeartbeat();
  void Heartbeat();

  const std::vector<std::string> protocols_;
  const std::string key_;
  const std::string target_;
  transport::WebSocketReader reader_{transport::WebSocketReader::Sender::kServer,
                                     transport::WebSocketReader::Data::kDelivered};
  transport::ChannelReader channels_;
  bool open_ = false;
  bool ending_ = false;
  SteadyTime last_heard_{};
  Timer heartbeat_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_WEBSOCKET_CALL_H_
