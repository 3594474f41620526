// client/stream_call.h
//
// StreamCall: common base of lists and watches: the exchange with the server, the encoding of its
// response, and an end outside of the exchange's callbacks.

#ifndef KINFORMER_CLIENT_STREAM_CALL_H_
#define KINFORMER_CLIENT_STREAM_CALL_H_

#include <memory>
#include <optional>
#include <string_view>

#include "kinformer/client/lister_watcher.h"
#include "kinformer/client/transport.h"
#include "kinformer/object/shard_selector.h"

#include "client/engine.h"
#include "client/list_gate.h"
#include "client/list_source.h"

namespace kinformer::internal::client {

// Loop-confined. The derived class decodes the response and notifies its receiver.
class StreamCall : public ListWatchCall, private ResponseReceiver {
 public:
  // Ends with `error`, after this has returned: for a source that cannot be requested.
  void Refuse(Error error) { EndLater(std::move(error)); }

 protected:
  explicit StreamCall(std::shared_ptr<ListSource> source) : source_(std::move(source)) {}

  // Prepares the request for `options`; exchange().Start() sends it. `timeout`: for a list; 0: the
  // client's default. Returns false if the options are wrong: the call ends with an error.
  [[nodiscard]] bool Prepare(const ListOptions& options, bool watch,
                             Duration timeout = Duration(0));
  // Returns whether the object is in the shard that the options select. Not all servers leave the
  // others out.
  [[nodiscard]] bool Selects(const Block& object);

  [[nodiscard]] ListSource& source() { return *source_; }
  [[nodiscard]] Env& env() { return source_->engine->env(); }
  [[nodiscard]] Exchange& exchange() { return *exchange_; }
  // Held while the server works on a list for this call.
  std::unique_ptr<ListGate::Ticket>& ticket() { return ticket_; }
  // Encoding of the response. REQUIRES: Accepted has been called.
  [[nodiscard]] Encoding encoding() const { return *encoding_; }
  [[nodiscard]] bool accepted() const { return encoding_.has_value(); }

  // Ends later, since the exchange must not be destroyed inside its own callbacks.
  void EndLater(Error error);
  // Releases the exchange, then calls Ended.
  void End(Result<void> result);

 private:
  // Called when the server has accepted the request; encoding() is valid.
  virtual void Accepted() = 0;
  // Handles a part of the response. An error ends the call.
  virtual Result<void> Feed(std::string_view data) = 0;
  virtual void ChunkEnd() = 0;
  // Converts the result of the exchange to the result of the call.
  virtual Result<void> Judge(Result<void> result) = 0;
  // Called once, and last. May destroy this.
  virtual void Ended(Result<void> result) = 0;

  void OnHeaders(int status, const HttpHeaders& headers) final;
  void OnData(std::string_view data) final;
  void OnDone(Result<void> result) final;

  const std::shared_ptr<ListSource> source_;
  ShardSelector shards_;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<ListGate::Ticket> ticket_;
  Timer ending_;
  bool ends_ = false;  // ending_ will report the end
  std::optional<Encoding> encoding_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_STREAM_CALL_H_
