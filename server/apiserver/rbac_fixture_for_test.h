// apiserver/rbac_fixture_for_test.h
//
// RbacFixture: a server that authorizes by roles and bindings, and requests of its users.

#ifndef KINFORMER_APISERVER_RBAC_FIXTURE_FOR_TEST_H_
#define KINFORMER_APISERVER_RBAC_FIXTURE_FOR_TEST_H_

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {

// A user whom the front end has authenticated; without a name: nobody.
struct User {
  std::string name{};
  std::vector<std::string> groups{};
};

class RbacFixture {
 protected:
  static ApiServerOptions Options() {
    ApiServerOptions options;
    options.authorization = AuthorizationMode::kRbac;
    options.token_users = {{.token = "jane-token", .name = "jane", .uid = "7", .groups = {"dev"}}};
    return options;
  }

  Reply As(const User& user, std::string_view method, std::string_view target,
           std::string_view body = {}, std::string_view type = {}, const HeaderList& headers = {}) {
    HttpRequest request{.method = std::string(method), .target = std::string(target)};
    request.body = body;
    request.user = user.name;
    for (const std::string& group : user.groups) request.headers.Add("X-Remote-Group", group);
    if (!type.empty()) request.headers.Add("Content-Type", type);
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    OpenReply open(server_.sim(), server_.server().Handle(std::move(request)));
    (void)server_.sim().RunUntil(
        [&] {
          open.Pull();
          return open.ended() || open.reply().status == 200;
        },
        std::chrono::minutes(1));
    return open.reply();
  }
  // As a member of system:masters.
  Reply Do(std::string_view method, std::string_view target, std::string_view body = {}) {
    return As({"root", {"system:masters"}}, method, target, body);
  }

  void MakeClusterRole(std::string_view name, std::string_view rules) {
    const Reply made = Do("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                          R"({"metadata":{"name":")" + std::string(name) + R"("},"rules":[)" +
                              std::string(rules) + "]}");
    EXPECT_EQ(made.status, 201) << made.body;
  }
  // An empty namespace: for all.
  void Bind(std::string_view namespace_, std::string_view name, std::string_view kind,
            std::string_view role, std::string_view subject) {
    const std::string path = namespace_.empty()
                                 ? "clusterrolebindings"
                                 : "namespaces/" + std::string(namespace_) + "/rolebindings";
    const Reply made = Do("POST", "/apis/rbac.authorization.k8s.io/v1/" + path,
                          R"({"metadata":{"name":")" + std::string(name) + R"("},"subjects":[)" +
                              std::string(subject) +
                              R"(],"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":")" +
                              std::string(kind) + R"(","name":")" + std::string(role) + R"("}})");
    EXPECT_EQ(made.status, 201) << made.body;
  }

  RbacFixture() : RbacFixture(Options()) {}
  explicit RbacFixture(ApiServerOptions options) : server_(std::move(options)) {}

  TestServer server_;
};

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_RBAC_FIXTURE_FOR_TEST_H_
