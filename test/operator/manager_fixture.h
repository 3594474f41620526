// test/operator/manager_fixture.h

#ifndef KINFORMER_TEST_OPERATOR_MANAGER_FIXTURE_H_
#define KINFORMER_TEST_OPERATOR_MANAGER_FIXTURE_H_

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {

inline const GroupVersionResource kPods{"", "v1", "pods"};
inline const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

// A manager on a thread of its own, in simulated time.
class RunningManager {
 public:
  RunningManager(Simulation& sim, ApiServer& server, ManagerOptions options = {})
      : sim_(sim),
        manager_(
            Manager::New(Client::ForTransport(sim.env(), server.transport()), std::move(options))
                .OrExit()) {}
  ~RunningManager() { Stop(); }
  RunningManager(const RunningManager&) = delete;
  RunningManager& operator=(const RunningManager&) = delete;

  void Start() {
    thread_ = sim_.env().NewThread("manager", [this] {
      result = manager_->Start(stop_.get_token());
      ended = true;
    });
  }
  void RequestStop() { stop_.request_stop(); }
  void Stop() {
    RequestStop();
    if (thread_ != nullptr) thread_->Join();
    thread_.reset();
  }
  Manager& operator*() { return *manager_; }
  Manager* operator->() { return manager_.get(); }

  Result<void> result{};
  bool ended = false;

 private:
  Simulation& sim_;
  std::unique_ptr<Manager> manager_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

class ManagerTest : public ::testing::Test {
 protected:
  void CreatePod(const std::string& name, const std::string& more = "") {
    const std::string text = R"({"metadata":{"namespace":"default","name":")" + name + '"' + more +
                             R"(},"spec":{"containers":[{"name":"c","image":"i"}]}})";
    server_.Create(kPods, json::Parse(text).OrExit()).OrExit();
  }

  Simulation sim_;
  ApiServer server_{sim_};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_MANAGER_FIXTURE_H_
