#include "client/client_defaults.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/prctl.h>

namespace kinformer::internal::client {
namespace {

using std::chrono::seconds;

TEST(ClientDefaults, AreThoseOfClientGo_RC02) {
  const ClientOptions options = CompleteOptions({});
  EXPECT_EQ(options.qps, 5);
  EXPECT_EQ(options.burst, 10);
  // "<program>/<version> (<os>/<arch>) kinformer".
  EXPECT_EQ(options.user_agent.find("client_request"), 0U) << options.user_agent;
  EXPECT_TRUE(options.user_agent.ends_with(") kinformer")) << options.user_agent;
  EXPECT_EQ(std::count(options.user_agent.begin(), options.user_agent.end(), '/'), 2);
  const ClientOptions given =
      CompleteOptions({.qps = -1, .burst = 3, .max_retries = -7, .user_agent = "me"});
  EXPECT_EQ(given.qps, -1);
  EXPECT_EQ(given.burst, 3);
  EXPECT_EQ(given.max_retries, 0);
  EXPECT_EQ(given.user_agent, "me");
  EXPECT_EQ(CompleteOptions({.max_retries = 1}).max_retries, 1);
  EXPECT_EQ(CompleteOptions({.max_retries = 0}).max_retries, 0);
}

// Characters of the program's name that could end a word of the header are replaced.
TEST(ClientDefaults, TheProgramsNameIsMadeAWord_RC03) {
  char before[16] = {};
  ASSERT_EQ(prctl(PR_GET_NAME, before), 0);
  ASSERT_EQ(prctl(PR_SET_NAME, "a b/c!~\x7f\x1f\xc3\xa9"), 0);
  EXPECT_EQ(CompleteOptions({}).user_agent.substr(0, 12), "a_b_c!~____/");
  ASSERT_EQ(prctl(PR_SET_NAME, before), 0);
}

TEST(ClientDefaults, AConfigSaysWhatOptionsLeaveOpen) {
  Config config;
  config.qps = 50;
  config.burst = 100;
  config.timeout = seconds(9);
  config.user_agent = "configured";
  const ClientOptions open = OptionsFor(config, {});
  EXPECT_EQ(open.qps, 50);
  EXPECT_EQ(open.burst, 100);
  EXPECT_EQ(open.timeout, seconds(9));
  EXPECT_EQ(open.user_agent, "configured");
  EXPECT_FALSE(open.prefer_json);
  const ClientOptions given =
      OptionsFor(config, {.qps = 1, .burst = 2, .timeout = seconds(3), .user_agent = "given"});
  EXPECT_EQ(given.qps, 1);
  EXPECT_EQ(given.burst, 2);
  EXPECT_EQ(given.timeout, seconds(3));
  EXPECT_EQ(given.user_agent, "given");
  config.content_type = "application/json";
  EXPECT_TRUE(OptionsFor(config, {}).prefer_json);
  const ClientOptions neither = OptionsFor(Config(), {});
  EXPECT_EQ(neither.qps, 5);
  EXPECT_EQ(neither.burst, 10);
  EXPECT_EQ(neither.timeout, Duration::zero());
}

TEST(ClientDefaults, WithoutAConfigThereIsNoClient) {
  ASSERT_EQ(setenv("KUBECONFIG", "/nonexistent/kubeconfig", 1), 0);
  ASSERT_EQ(unsetenv("KUBERNETES_SERVICE_HOST"), 0);
  ASSERT_EQ(setenv("HOME", "/nonexistent", 1), 0);
  const Result<Client> client = Client::FromEnvironment();
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().reason(), Reason::kConfig) << client.error();
}

}  // namespace
}  // namespace kinformer::internal::client
