#include "kinformer/client/pod_logs.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/object/object_from_json.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class PodLogsTest : public testing::ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    pods_.emplace(client_->For<corev1::Pod>("default"));
    server_.fallback = [this](const HttpRequest& request) { return Answer(request.target); };
  }
  // Each container has two lines; logs that are followed stay open.
  testing::ScriptedResponse Answer(const std::string& target) {
    const auto at = target.find("container=");
    const std::string name =
        at == std::string::npos ? "only" : target.substr(at + 10, target.find('&', at) - at - 10);
    if (name == "missing") return testing::StatusFailure(400, "BadRequest", "no such container");
    return {.headers = {{"Content-Type", "text/plain"}},
            .body = name + " one\n" + name + " two" + (follows_ ? "\n" : ""),
            .hang = follows_};
  }
  Result<void> Read(const std::vector<std::string>& containers, const CallOptions& call = {}) {
    corev1::PodLogOptions::Mutable options;
    options.follow = follows_;
    Result<void> end;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          end = StreamLogLines(
              *pods_, "web-0", containers, options,
              [this](const LogLine& line) {
                lines_.push_back(std::string(line.container) + ": " + std::string(line.text));
                return lines_.size() < most_;
              },
              call);
        },
        minutes(10)));
    return end;
  }

  std::optional<ResourceClient<corev1::Pod>> pods_;
  bool follows_ = false;
  std::size_t most_ = 1000;
  std::vector<std::string> lines_;
};

TEST_F(PodLogsTest, GetLogsIsARequestWithTheOptionsOfTheApi) {
  corev1::PodLogOptions::Mutable options;
  options.container = "app";
  options.previous = true;
  options.tailLines = 5;
  options.sinceSeconds = 60;
  options.timestamps = true;
  EXPECT_EQ(*GetLogs(*pods_, "web-0", options).URL(),
            "/api/v1/namespaces/default/pods/web-0/log?container=app&previous=true"
            "&sinceSeconds=60&tailLines=5&timestamps=true");
  std::string text;
  EXPECT_TRUE(
      sim_.RunBlocking([&] { text = GetLogs(*pods_, "web-0").Do().OrExit().body; }, minutes(1)));
  EXPECT_EQ(text, "only one\nonly two");
  EXPECT_EQ(server_.requests.back().target, "/api/v1/namespaces/default/pods/web-0/log");
}

TEST_F(PodLogsTest, LinesComeContainerAfterContainer) {
  EXPECT_TRUE(Read({"b", "a"}).ok());
  EXPECT_THAT(lines_, ElementsAre("b: b one", "b: b two", "a: a one", "a: a two"));
  lines_.clear();
  EXPECT_TRUE(Read({}).ok());
  EXPECT_THAT(lines_, ElementsAre(": only one", ": only two"));
}

TEST_F(PodLogsTest, LogsThatAreFollowedAreReadAtOnceUntilTheFunctionEndsThem) {
  follows_ = true;
  most_ = 4;
  EXPECT_TRUE(Read({"a", "b"}).ok());
  EXPECT_THAT(lines_, UnorderedElementsAre("a: a one", "a: a two", "b: b one", "b: b two"));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(server_.open_streams, 0);
}

TEST_F(PodLogsTest, TheFirstErrorEndsAllLogsAndNamesItsContainer) {
  for (const bool follows : {false, true}) {
    follows_ = follows;
    const Result<void> end = Read({"a", "missing", "b"});
    ASSERT_FALSE(end.ok());
    EXPECT_THAT(end.error().message(), HasSubstr("container missing of pod web-0"));
    EXPECT_THAT(end.error().message(), HasSubstr("no such container"));
    sim_.RunFor(seconds(1));
    EXPECT_EQ(server_.open_streams, 0);
  }
}

TEST_F(PodLogsTest, ACallerEndsThemByItsTimeoutOrItsStopRequest) {
  follows_ = true;
  for (const std::vector<std::string>& containers :
       {std::vector<std::string>{"a"}, std::vector<std::string>{"a", "b"}}) {
    const Result<void> late = Read(containers, {.timeout = seconds(5)});
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
    std::stop_source stop;
    sim_.env().loop().Post([&] { stop.request_stop(); });
    const Result<void> stopped = Read(containers, {.stop = stop.get_token()});
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().reason(), Reason::kCanceled);
  }
  sim_.RunFor(seconds(1));
  EXPECT_EQ(server_.open_streams, 0);
}

TEST_F(PodLogsTest, AnExceptionOfTheFunctionPassesThrough) {
  corev1::PodLogOptions::Mutable options;
  for (const bool follows : {false, true}) {
    options.follow = follows_ = follows;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          EXPECT_THROW(
              (void)StreamLogLines(*pods_, "web-0", {"a", "b"}, options,
                                   [](const LogLine&) -> bool { throw std::runtime_error("own"); }),
              std::runtime_error);
        },
        minutes(1)));
  }
  sim_.RunFor(seconds(1));
  EXPECT_EQ(server_.open_streams, 0);
}

TEST_F(PodLogsTest, ContainersWithLogsAreThoseOfTheSpecInTheirOrder) {
  const Result<AnyRef> made = ObjectFromJson(
      corev1::Pod::kind_info(),
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{)"
      R"("containers":[{"name":"app"},{"name":"proxy"}],"initContainers":[{"name":"init"}],)"
      R"("ephemeralContainers":[{"name":"debug"}]}})");
  ASSERT_TRUE(made.ok()) << made.error();
  const Ref<corev1::Pod> pod = (*made).As<corev1::Pod>();
  EXPECT_THAT(LogContainers(*pod), ElementsAre("init", "app", "proxy", "debug"));
}

}  // namespace
}  // namespace kinformer
