// client/testing/config_map_client.h
//
// ClientTest: a client of a ScriptedServer in simulated time. ConfigMapJson: an object for its
// answers.

#ifndef KINFORMER_CLIENT_TESTING_CONFIG_MAP_CLIENT_H_
#define KINFORMER_CLIENT_TESTING_CONFIG_MAP_CLIENT_H_

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"

#include "client/testing/scripted_server.h"

namespace kinformer::testing {

inline std::string ConfigMapJson(const std::string& name, const std::string& version) {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":"default","resourceVersion":")" + version + R"("},"data":{"k":"v"}})";
}

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    transport_ = NewInMemoryTransport(sim_.env(), server_);
    client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = -1}));
  }

  Simulation sim_{{.seed = 9}};
  ScriptedServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::optional<Client> client_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_CLIENT_TESTING_CONFIG_MAP_CLIENT_H_
