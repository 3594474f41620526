// test/simulation/server_pair.h
//
// ServerPair: two API servers of one cluster behind one address. The second one gets changes later,
// like a replica whose watch cache lags; requests for the latest state go to the first one.

#ifndef KINFORMER_TEST_SIMULATION_SERVER_PAIR_H_
#define KINFORMER_TEST_SIMULATION_SERVER_PAIR_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"

#include "simulation/dice.h"
#include "simulation/server_env.h"

namespace kinformer::testing {

class ServerPair final : public Handler {
 public:
  // `two`: whether the second server exists.
  ServerPair(Env& env, const apiserver::ApiServerOptions& options, std::uint64_t seed, bool two);

  [[nodiscard]] apiserver::ApiServer& first() { return first_; }
  // Oldest version that the server which is further behind still has.
  [[nodiscard]] std::int64_t oldest_version() const;
  [[nodiscard]] std::uint64_t requests() const;
  // Number of answers of the second server while it lagged.
  [[nodiscard]] std::uint64_t answers_from_behind() const { return from_behind_; }
  // The servers differ: an error of the test.
  [[nodiscard]] bool apart() const { return apart_; }

  // Changes both servers, the second one later.
  Result<json::Value> Put(const GroupVersionResource& resource, const json::Value& object);
  Result<void> Delete(const GroupVersionResource& resource, const ObjectName& name);
  void Compact(std::int64_t version);
  // Closes the watches of both at once.
  void CloseWatches();
  // The second server does not lag from now on.
  void Calm();

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;

 private:
  using Change = std::function<Result<json::Value>(apiserver::ApiServer&)>;

  struct Later {
    std::uint64_t number;
    WallTime when;     // when the first one applied it
    SteadyTime heard;  // when the second one applies it
    Change change;
    std::int64_t version;  // version of the first one after it
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
  std::unique_ptr<apiserver::ApiServer> second_;  // null: there is only one
  std::uint64_t changes_ = 0;
  std::uint64_t from_behind_ = 0;
  bool calm_ = false;
  bool apart_ = false;
  std::deque<Later> later_;
  Timer hears_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SERVER_PAIR_H_
