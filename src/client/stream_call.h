// client/stream_call.h
//
// StreamCall: what a list and a watch have in common: the exchange with the server, the encoding of
// its answer, and an end that never comes from inside the exchange's own callbacks.

#ifndef KINFORMER_CLIENT_STREAM_CALL_H_
#define KINFORMER_CLIENT_STREAM_CALL_H_

#include <memory>
#include <optional>
#include <string_view>

#include "kinformer/list_watch.h"
#include "kinformer/transport.h"

#include "client/engine.h"
#include "client/list_gate.h"
#include "client/list_source.h"

namespace kinformer::internal::client {

// Loop-confined. The derived class decodes the answer and tells its receiver.
class StreamCall : public ListWatchCall, private ResponseReceiver {
 public:
  // Ends with `error`, not before this has returned: for a source that cannot be asked.
  void Refuse(Error error) { EndLater(std::move(error)); }

 protected:
  explicit StreamCall(std::shared_ptr<ListSource> source) : source_(std::move(source)) {}

  // Makes the request for `options`, which exchange().Start() sends.
  // `timeout`: of a list; 0: the client's.
  void Prepare(const ListOptions& options, bool watch, Duration timeout = Duration(0));

  [[nodiscard]] ListSource& source() { return *source_; }
  [[nodiscard]] Env& env() { return source_->engine->env(); }
  [[nodiscard]] Exchange& exchange() { return *exchange_; }
  // Held as long as the server works on a list for this call.
  std::unique_ptr<ListGate::Ticket>& ticket() { return ticket_; }
  // Of the answer. REQUIRES: Accepted has been called.
  [[nodiscard]] Encoding encoding() const { return *encoding_; }
  [[nodiscard]] bool accepted() const { return encoding_.has_value(); }

  // The exchange must not be ended from inside its own callbacks.
  void EndLater(Error error);
  // Lets go of the exchange, then calls Ended.
  void End(Result<void> result);

 private:
  // The server answers, in encoding().
  virtual void Accepted() = 0;
  // A piece of the answer. An error ends the call.
  virtual Result<void> Feed(std::string_view data) = 0;
  virtual void ChunkEnd() = 0;
  // What the end of the exchange means.
  virtual Result<void> Judge(Result<void> result) = 0;
  // Once and last. May destroy this.
  virtual void Ended(Result<void> result) = 0;

  void OnHeaders(int status, const HttpHeaders& headers) final;
  void OnData(std::string_view data) final;
  void OnDone(Result<void> result) final;

  const std::shared_ptr<ListSource> source_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<ListGate::Ticket> ticket_;
  Timer ending_;
  bool ends_ = false;  // the timer speaks
  std::optional<Encoding> encoding_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_STREAM_CALL_H_
