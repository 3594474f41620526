// apiserver/etcd/etcd_gateway.h
//
// EtcdGateway: Etcd over the JSON form of its API, which etcd serves beside gRPC at the same
// address: POST /v3/kv/txn and the like.

#ifndef KINFORMER_APISERVER_ETCD_ETCD_GATEWAY_H_
#define KINFORMER_APISERVER_ETCD_ETCD_GATEWAY_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/transport.h"
#include "kinformer/json/json.h"

#include "apiserver/etcd/etcd.h"

namespace kinformer::apiserver {

struct EtcdGatewayOptions {
  std::vector<std::string> servers{};  // "https://127.0.0.1:2379"; one is used at a time
  TlsOptions tls{};
  std::string user{};  // empty: etcd knows the server by its certificate, or needs no user
  std::string password{};
  Duration patience = std::chrono::seconds(5);
};

// Has a loop and connections of its own. A server that does not answer is left for the next one.
class EtcdGateway final : public Etcd {
 public:
  // Errors are kConfig.
  static Result<std::shared_ptr<Etcd>> Make(Env& env, const EtcdGatewayOptions& options);
  ~EtcdGateway() override;
  EtcdGateway(const EtcdGateway&) = delete;
  EtcdGateway& operator=(const EtcdGateway&) = delete;

  [[nodiscard]] Env& env() override { return loop_->env(); }
  void Read(EtcdRange range, EtcdDone<EtcdPage> done) override;
  void Commit(EtcdTransaction transaction, EtcdDone<EtcdOutcome> done) override;
  void Compact(std::int64_t revision, EtcdDone<void> done) override;
  void Grant(std::int64_t seconds, EtcdDone<std::int64_t> done) override;
  void KeepAlive(std::int64_t lease, EtcdDone<std::int64_t> done) override;
  void Revoke(std::int64_t lease, EtcdDone<void> done) override;
  void Watch(std::int64_t from, std::shared_ptr<EtcdWatcher> watcher) override;
  void Stop() override;

 private:
  class Call;
  class Stream;
  // A request that waits for its answer.
  struct Question {
    std::string path{};
    std::string body{};
    bool reads = false;    // may be asked again
    std::string token{};   // with which it was asked
    bool renewed = false;  // it is asked with a second token
    std::size_t tries = 0;
    EtcdDone<json::Value> done{};
  };

  EtcdGateway(Env& env, const EtcdGatewayOptions& options);
  // Asks on the loop.
  void Ask(Question question);
  void Send(Question question);
  // With a user: whether a token has to be got before anything else is asked.
  [[nodiscard]] bool NeedsToken() const { return !user_.empty() && token_.empty(); }
  // Gets a token, unless that is under way; then asks what waits for it.
  void Authenticate();
  void Authenticated(const Result<json::Value>& answer);
  void Answered(std::uint64_t call);
  void StartStream(std::int64_t from, std::shared_ptr<EtcdWatcher> watcher);
  // Destroys it in a later turn, and tells its watcher.
  void EndStream(Stream& stream, const Error& why, std::int64_t compacted);
  // Leaves the server that did not answer, unless that was done.
  void Leave(std::size_t server);
  [[nodiscard]] std::size_t server() const { return server_ % transports_.size(); }

  const Duration patience_;
  const std::string user_;
  const std::string password_;
  const std::unique_ptr<Loop> loop_;
  // ---- Used on the loop.
  std::vector<std::unique_ptr<Transport>> transports_{};
  std::size_t server_ = 0;
  bool stopped_ = false;
  std::map<std::uint64_t, std::unique_ptr<Call>> calls_{};
  std::uint64_t next_call_ = 1;
  std::unique_ptr<Stream> stream_{};
  std::string token_{};  // of the user; etcd forgets it after a while
  bool authenticates_ = false;
  // Questions and a watch that wait for a token.
  std::vector<Question> waiting_{};
  std::function<void(Result<void>)> waiting_watch_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ETCD_ETCD_GATEWAY_H_
