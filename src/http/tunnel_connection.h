// http/tunnel_connection.h
//
// TunnelConnection: a former HTTP/1.1 connection after its change to another protocol: sends the
// body of the response in the form of that protocol, and hands on what the client sends.

#ifndef KINFORMER_HTTP_TUNNEL_CONNECTION_H_
#define KINFORMER_HTTP_TUNNEL_CONNECTION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/client/transport.h"

#include "http/answer.h"
#include "http/connection.h"
#include "http/outbox.h"

namespace kinformer::internal::http {

// State taken over from the HTTP/1.1 connection.
struct TunnelStart {
  Outbox out{};  // data to write; the upgrade response is its last part
  std::unique_ptr<Answer> answer{};
  std::vector<BodyChunk> chunks{};  // already pulled from the answer
  Answer::State state = Answer::State::kMore;
  std::string input{};  // received after the request
};

// Pulls the answer only as fast as the client reads. Ends with its answer, or with its client.
class TunnelConnection : public Connection {
 public:
  void Start() final;
  void Pump() final;
  // The connection ends with its answer in any case.
  void GoAway() final {}

 protected:
  TunnelConnection(ConnectionHost& host, std::unique_ptr<ByteStream> stream, TunnelStart start);

  // Adds a part of the body to out().
  virtual void Frame(std::vector<BodyChunk> chunks) = 0;
  // Adds what follows the end of the body to out().
  virtual void FrameEnd() = 0;
  // Takes what the client has sent. Not called once the connection leaves.
  virtual void TakeInput(std::string_view data) = 0;
  // Whether to read on, with so many bytes that the client has not taken.
  [[nodiscard]] virtual bool Reads(std::size_t unsent) const = 0;

  // Ends the connection after the data in out().
  void Leave();
  [[nodiscard]] bool leaving() const { return phase_ != Phase::kOpen; }
  // REQUIRES: not leaving.
  [[nodiscard]] Answer& answer() { return *answer_; }
  [[nodiscard]] const Answer& answer() const { return *answer_; }

 private:
  // kLeaving and kCut: the connection ends after the last data, properly or not.
  enum class Phase : std::uint8_t { kOpen, kLeaving, kCut, kLinger };

  void OnBytes(std::string_view data) final;
  void OnClose() final { answer_.reset(); }
  // Handles the state after a pull. Returns true if more can be pulled at once.
  bool Heed(Answer::State state);
  void Advance();
  void Abort();
  // Writes pending data, and decides what to wait for.
  void Settle();

  std::unique_ptr<Answer> answer_;
  std::vector<BodyChunk> early_;
  Answer::State early_state_;
  std::string early_input_;
  Phase phase_ = Phase::kOpen;
  bool more_ = false;  // the answer had more data at the end of its turn
};

// Carries the bytes of any protocol as they are: the answer's body one way, and
// ResponseStream::Receive the other way.
std::shared_ptr<Connection> NewUpgradedConnection(ConnectionHost& host,
                                                  std::unique_ptr<ByteStream> stream,
                                                  TunnelStart start);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_TUNNEL_CONNECTION_H_
