#include "cli/log_follower.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/object/object_from_json.h"

#include "cli/fake_log_server.h"
#include "cli/log_format.h"
#include "cli/pod_log_streams.h"

namespace kinformer::cli {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string At(int second, const std::string& text) {
  return "2024-01-01T00:00:0" + std::to_string(second) + ".5Z " + text;
}

std::string PodJson(const std::string& name, const std::string& id, const std::string& state,
                    const std::string& container = "app") {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"default","name":")" + name +
         R"("},"spec":{"containers":[{"name":")" + container +
         R"("}]},"status":{"containerStatuses":[{"name":")" + container + R"(","containerID":")" +
         id + R"(","state":{)" + state + "}}]}}";
}

Ref<corev1::Pod> PodOf(const std::string& json) {
  return ObjectFromJson(corev1::Pod::kind_info(), json).OrExit().As<corev1::Pod>();
}

constexpr char kRunning[] = R"("running":{})";
constexpr char kEnded[] = R"("terminated":{"exitCode":1,"reason":"Error"})";

// Answers each request with a pod.
class PodServer final : public Handler {
 public:
  std::string pod{};
  std::unique_ptr<ResponseStream> Handle(HttpRequest /*request*/) override {
    struct Answer final : ResponseStream {
      explicit Answer(std::string b) : body(std::move(b)) {
        headers_.Add("Content-Type", "application/json");
      }
      [[nodiscard]] int status() const override { return 200; }
      [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
      State Read(std::size_t /*max*/, std::vector<BodyChunk>& out) override {
        out.push_back(BodyChunk::Of(body));
        return State::kEnd;
      }
      void SetWake(std::function<void()> /*wake*/) override {}
      std::string body;
      HttpHeaders headers_{};
    };
    return std::make_unique<Answer>(pod);
  }
};

class LogFollowerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    transport_ = NewInMemoryTransport(sim_.env(), server_);
    client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = -1}));
  }
  void TearDown() override {
    if (follower_ != nullptr) {
      EXPECT_TRUE(sim_.RunBlocking([&] { follower_->Stop(); }, minutes(1)));
      follower_.reset();
    }
    sim_.RunFor(seconds(1));
    EXPECT_EQ(server_.open_streams, 0);
  }
  void Follow(LogFollowerOptions options = {}) {
    follower_ = std::make_unique<LogFollower>(
        *client_, std::move(options), [this](const LogRecord& record) { return Note(record); },
        [this](const LogNotice& notice) { notices_.push_back(FormatNotice(notice, {})); });
  }
  bool Note(const LogRecord& record) {
    lines_.push_back(FormatLine(record, {.form = LogFormat::Form::kPods}));
    return true;
  }
  void Pod(const std::string& name, const std::string& id, const std::string& state = kRunning,
           bool initial = false) {
    const Ref<corev1::Pod> pod = PodOf(PodJson(name, id, state));
    follower_->OnPod(*pod, initial);
  }
  void Gone(const std::string& name) {
    const Ref<corev1::Pod> pod = PodOf(PodJson(name, "", kRunning));
    follower_->OnPodGone(*pod);
  }

  Simulation sim_{{.seed = 11}};
  FakeLogServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::optional<Client> client_;
  std::unique_ptr<LogFollower> follower_;
  std::vector<std::string> lines_;
  std::vector<std::string> notices_;
};

TEST_F(LogFollowerTest, LogsOfSeveralPodsComeTogetherAndNewPodsJoin) {
  server_.Write("web-0/app", At(1, "a"));
  server_.Write("web-1/app", At(1, "b"));
  Follow();
  Pod("web-0", "c0");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(lines_, ElementsAre("web-0 app a"));
  Pod("web-1", "c1");
  sim_.RunFor(seconds(1));
  server_.Write("web-0/app", At(2, "c"));
  sim_.RunFor(seconds(1));
  EXPECT_THAT(lines_, ElementsAre("web-0 app a", "web-1 app b", "web-0 app c"));
  EXPECT_THAT(notices_, ElementsAre("+ web-0 app", "+ web-1 app"));
}

TEST_F(LogFollowerTest, ACutLosesNoLineAndDoublesNone) {
  Follow();
  server_.Write("web-0/app", At(1, "a"));
  server_.Write("web-0/app", At(2, "b"));
  Pod("web-0", "c0");
  sim_.RunFor(seconds(1));
  server_.Cut("2024-01-01T00:00:02.7Z ha");
  sim_.RunReady();
  server_.Write("web-0/app", "2024-01-01T00:00:02.7Z half and whole");
  server_.Write("web-0/app", At(3, "c"));
  sim_.RunFor(minutes(1));
  EXPECT_THAT(lines_,
              ElementsAre("web-0 app a", "web-0 app b", "web-0 app half and whole", "web-0 app c"));
  EXPECT_THAT(notices_, Contains(HasSubstr("was cut")));
  EXPECT_THAT(server_.requests.back(), HasSubstr("sinceTime=2024-01-01T00%3A00%3A02Z"));
}

TEST_F(LogFollowerTest, AServerThatClosesTheStreamOfARunningContainerIsAskedAgain) {
  Follow();
  server_.Write("web-0/app", At(1, "a"));
  Pod("web-0", "c0");
  sim_.RunFor(seconds(1));
  server_.Close();
  sim_.RunReady();
  server_.Write("web-0/app", At(1, "b"));
  sim_.RunFor(minutes(1));
  EXPECT_THAT(lines_, ElementsAre("web-0 app a", "web-0 app b"));
  EXPECT_THAT(notices_, ElementsAre("+ web-0 app")) << "nothing was cut, and nothing ended";
}

TEST_F(LogFollowerTest, ARestartedContainerIsFollowedFromItsBeginning) {
  Follow({.log = {.tailLines = 1}});
  server_.Write("web-0/app", At(1, "a"));
  server_.Write("web-0/app", At(1, "b"));
  Pod("web-0", "c0", kRunning, /*initial=*/true);
  sim_.RunFor(seconds(1));
  server_.Exit("web-0/app");
  Pod("web-0", "c0", kEnded);
  sim_.RunFor(seconds(5));
  EXPECT_THAT(notices_, ElementsAre("+ web-0 app", "- web-0 app (exit code 1, Error)"));
  server_.Exit("web-0/app", /*restarts=*/true);
  server_.Write("web-0/app", At(3, "c"));
  server_.Write("web-0/app", At(3, "d"));
  Pod("web-0", "c9");
  sim_.RunFor(seconds(5));
  EXPECT_THAT(lines_, ElementsAre("web-0 app b", "web-0 app c", "web-0 app d"));
}

TEST_F(LogFollowerTest, ARestartDuringACutLosesNothingOfTheEarlierInstance) {
  Follow();
  server_.Write("web-0/app", At(1, "a"));
  Pod("web-0", "c0");
  sim_.RunFor(seconds(1));
  server_.Cut();
  sim_.RunReady();
  server_.Write("web-0/app", At(2, "last words"));
  server_.Exit("web-0/app", /*restarts=*/true);
  server_.Write("web-0/app", At(3, "again"));
  Pod("web-0", "c9");
  sim_.RunFor(minutes(2));
  EXPECT_THAT(lines_, ElementsAre("web-0 app a", "web-0 app last words", "web-0 app again"));
}

TEST_F(LogFollowerTest, NoMoreStreamsThanAllowedAreOpenAndOthersWaitForTheirTurn) {
  for (const char* name : {"web-0/app", "web-1/app", "web-2/app"}) {
    server_.Write(name, At(1, "hello"));
  }
  Follow({.max_streams = 2});
  Pod("web-0", "c0");
  Pod("web-1", "c1");
  Pod("web-2", "c2");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(server_.open_streams, 2);
  EXPECT_THAT(notices_, Contains(HasSubstr("web-2 app waits: 2 logs")));
  EXPECT_THAT(lines_, Not(Contains("web-2 app hello")));
  server_.Exit("web-1/app");
  Pod("web-1", "c1", kEnded);
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.open_streams, 2);
  EXPECT_THAT(lines_, Contains("web-2 app hello"));
}

TEST_F(LogFollowerTest, PodsAndContainersAreChosenByNames) {
  for (const char* name : {"web-0/app", "web-10/app", "db-0/app"}) {
    server_.Write(name, At(1, "hello"));
  }
  LogFollowerOptions options;
  options.filter.pods = ParsePatterns({"^web-"}, "POD").OrExit();
  options.filter.not_pods = ParsePatterns({"web-0"}, "--exclude-pod").OrExit();
  Follow(std::move(options));
  Pod("web-0", "c0");
  Pod("web-10", "c1");
  Pod("db-0", "c2");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(lines_, ElementsAre("web-10 app hello"));
}

TEST_F(LogFollowerTest, ADeletedPodsStreamEndsAndIsNotTriedAgain) {
  Follow();
  server_.Write("web-0/app", At(1, "a"));
  Pod("web-0", "c0");
  sim_.RunFor(seconds(1));
  Gone("web-0");
  server_.Cut();
  sim_.RunFor(minutes(5));
  EXPECT_EQ(follower_->streams(), 0U);
  EXPECT_EQ(server_.requests.size(), 1U);
  EXPECT_THAT(notices_, ElementsAre("+ web-0 app", "- web-0 app"));
}

TEST_F(LogFollowerTest, ALogThatCannotBeReadIsSaidAndNotTriedAgain) {
  Follow();
  Pod("web-0", "c0");  // the server has no log of it
  sim_.RunFor(minutes(5));
  EXPECT_EQ(server_.requests.size(), 1U);
  EXPECT_THAT(notices_, Contains(HasSubstr("cannot be read")));
}

TEST_F(LogFollowerTest, ASinglePodIsFollowedUntilItsContainerEnds) {
  PodServer pods;
  pods.pod = PodJson("web-0", "c0", kRunning);
  server_.other = &pods;
  server_.Write("web-0/app", At(1, "a"));
  const Ref<corev1::Pod> pod = PodOf(pods.pod);
  std::optional<Result<void>> end;
  bool stopped = false;
  const auto thread = sim_.env().NewThread("follow", [&] {
    end = FollowPodLogs(
        *client_, *pod, {"app"}, {}, [this](const LogRecord& record) { return Note(record); },
        [this](const LogNotice& notice) { notices_.push_back(FormatNotice(notice, {})); }, {});
    stopped = true;
  });
  sim_.RunFor(seconds(1));
  server_.Cut();
  sim_.RunFor(minutes(1));
  server_.Write("web-0/app", At(2, "b"));
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(stopped);
  pods.pod = PodJson("web-0", "c0", kEnded);
  server_.Exit("web-0/app");
  ASSERT_TRUE(sim_.RunUntil([&] { return stopped; }, minutes(5)));
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(end->ok());
  EXPECT_THAT(lines_, ElementsAre("web-0 app a", "web-0 app b"));
}

TEST_F(LogFollowerTest, AStopRequestEndsTheWaitForAPodsLog) {
  server_.Write("web-0/app", At(1, "a"));
  const Ref<corev1::Pod> pod = PodOf(PodJson("web-0", "c0", kRunning));
  std::stop_source stop;
  sim_.env().loop().Post([&] { stop.request_stop(); });
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        EXPECT_TRUE(FollowPodLogs(
                        *client_, *pod, {"app"}, {},
                        [this](const LogRecord& record) { return Note(record); },
                        [](const LogNotice&) {}, stop.get_token())
                        .ok());
      },
      minutes(1)));
}

}  // namespace
}  // namespace kinformer::cli
