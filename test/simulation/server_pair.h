// test/simulation/server_pair.h
//
// ServerPair: two API servers of one cluster behind one address. The second hears later of what
// happens, as a replica whose watch cache lags; what must be the newest comes from the first.

#ifndef KINFORMER_TEST_SIMULATION_SERVER_PAIR_H_
#define KINFORMER_TEST_SIMULATION_SERVER_PAIR_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/env.h"
#include "kinformer/json.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

#include "simulation/dice.h"
#include "simulation/server_env.h"

namespace kinformer::testing {

class ServerPair final : public Handler {
 public:
  // `two`: with the second one; else all is as with the first alone.
  ServerPair(Env& env, const apiserver::ApiServerOptions& options, std::uint64_t seed, bool two);

  [[nodiscard]] apiserver::ApiServer& first() { return first_; }
  // Of the one that is further behind.
  [[nodiscard]] std::int64_t oldest_version() const;
  [[nodiscard]] std::uint64_t requests() const;
  // How often the second one has answered while it was behind.
  [[nodiscard]] std::uint64_t answers_from_behind() const { return from_behind_; }
  // The second one has become another cluster: the test is wrong.
  [[nodiscard]] bool apart() const { return apart_; }

  // What happens to both, to the second one later.
  Result<json::Value> Put(const GroupVersionResource& resource, const json::Value& object);
  Result<void> Delete(const GroupVersionResource& resource, const ObjectName& name);
  void Compact(std::int64_t version);
  // At once to both.
  void CloseWatches();
  // From now on the second one keeps up.
  void Calm();

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;

 private:
  using Change = std::function<Result<json::Value>(apiserver::ApiServer&)>;

  struct Later {
    std::uint64_t number;
    WallTime when;     // it happened to the first
    SteadyTime heard;  // by the second
    Change change;
    std::int64_t version;  // that the first had then
  };

  Result<json::Value> Do(Change change);
  static Result<json::Value> DoNow(ServerEnv& env, apiserver::ApiServer& server,
                                   const Change& change, std::uint64_t number, WallTime when);
  void HearSoon();
  void HearWhatIsDue();
  [[nodiscard]] bool GoesToTheSecond(const HttpRequest& request);

  Env& env_;
  Dice dice_;
  ServerEnv first_env_;
  ServerEnv second_env_;
  apiserver::ApiServer first_;
  std::unique_ptr<apiserver::ApiServer> second_;  // null: there is one alone
  std::uint64_t changes_ = 0;
  std::uint64_t from_behind_ = 0;
  bool calm_ = false;
  bool apart_ = false;
  std::deque<Later> later_;
  Timer hears_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SERVER_PAIR_H_
