#include "client/version_question.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/lister_watcher.h"

#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::ScriptedServer;
using ::kinformer::testing::StatusFailure;
using std::chrono::seconds;

ScriptedResponse ListAt(const std::string& version) {
  return Json(R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)"
              R"({"resourceVersion":")" +
              version + R"("},"items":[]})");
}

class VersionQuestionsTest : public ::testing::Test {
 protected:
  VersionQuestionsTest()
      : transport_(NewInMemoryTransport(sim_.env(), server_, {})),
        client_(Client::ForTransport(sim_.env(), transport_, {.qps = -1})) {}
  ~VersionQuestionsTest() override {
    sim_.env().loop().Post([this] { askers_.clear(); });
    sim_.RunReady();
  }

  struct Asker {
    std::unique_ptr<ListerWatcher> source{};
    std::unique_ptr<ListWatchCall> call{};
    std::optional<Result<std::string>> answer{};
  };
  // Asks for all in the same turn of the loop.
  void Ask(const std::vector<std::string>& namespaces, const KindInfo& type) {
    sim_.env().loop().Post([this, namespaces, &type] {
      for (const std::string& ns : namespaces) {
        Asker& asker = *askers_.emplace_back(std::make_unique<Asker>());
        asker.source = NewListWatch(client_, type, ns);
        asker.call = asker.source->CurrentVersion([&asker](Result<std::string> version) {
          asker.answer = std::move(version);
          asker.call.reset();
        });
      }
    });
  }
  void Settle() { sim_.RunFor(std::chrono::milliseconds(100)); }
  [[nodiscard]] std::string AnswerOf(std::size_t i) const {
    const auto& answer = askers_.at(i)->answer;
    if (!answer) return "none";
    return *answer ? **answer : std::string(ReasonName(answer->error().reason()));
  }
  [[nodiscard]] std::vector<std::string> Targets() const {
    std::vector<std::string> targets;
    for (const HttpRequest& request : server_.requests) targets.push_back(request.target);
    return targets;
  }

  const KindInfo& pods_ = *DynamicKindInfo("", "v1", "Pod", "pods", true);
  const KindInfo& nodes_ = *DynamicKindInfo("", "v1", "Node", "nodes", false);
  Simulation sim_{{.seed = 3}};
  ScriptedServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  Client client_;
  std::vector<std::unique_ptr<Asker>> askers_;
};

TEST_F(VersionQuestionsTest, ReadsTheMetadataOfOneKey) {
  server_.fallback = [](const HttpRequest&) { return ListAt("77"); };
  const std::string query = "?fieldSelector=metadata.name%3D_NOBODY_";
  Ask({"kube-system"}, pods_);
  Settle();
  Ask({""}, pods_);
  Settle();
  Ask({""}, nodes_);
  Settle();
  ASSERT_EQ(Targets(), (std::vector<std::string>{"/api/v1/namespaces/kube-system/pods" + query,
                                                 "/api/v1/namespaces/default/pods" + query,
                                                 "/api/v1/nodes" + query}));
  EXPECT_NE(server_.requests[0].headers.Get("Accept").find("as=PartialObjectMetadataList"),
            std::string_view::npos);
  EXPECT_EQ(AnswerOf(0), "77");
  EXPECT_EQ(AnswerOf(1), "77");
  EXPECT_EQ(AnswerOf(2), "77");
}

TEST_F(VersionQuestionsTest, Questions_RunOneAtATimeAndLaterCallersGetTheNext) {
  server_.script = {{.body = "{", .hang = true}, ListAt("2")};
  Ask({"", ""}, pods_);
  Settle();
  Ask({"", ""}, pods_);
  Settle();
  EXPECT_EQ(server_.requests.size(), 1U) << "the first is not answered";
  EXPECT_EQ(AnswerOf(0), "none");
  // The request stalls, and times out after ten seconds.
  sim_.RunFor(seconds(11));
  EXPECT_EQ(AnswerOf(0), "DeadlineExceeded");
  EXPECT_EQ(AnswerOf(1), "DeadlineExceeded");
  EXPECT_EQ(AnswerOf(2), "2");
  EXPECT_EQ(AnswerOf(3), "2");
  EXPECT_EQ(server_.requests.size(), 2U);
}

TEST_F(VersionQuestionsTest, Refusal_ConcernsItsNamespaceOnly) {
  server_.script = {StatusFailure(403, "Forbidden", "not there"), ListAt("5")};
  Ask({"closed", "open", "closed"}, pods_);
  Settle();
  EXPECT_EQ(AnswerOf(0), "Forbidden");
  EXPECT_EQ(AnswerOf(1), "5");
  EXPECT_EQ(AnswerOf(2), "Forbidden");
}

TEST_F(VersionQuestionsTest, Questions_AreNotRetriedAndBypassTheListGate) {
  server_.fallback = [](const HttpRequest& request) {
    if (request.target.find("_NOBODY_") == std::string::npos) {
      return ScriptedResponse{.body = "{", .hang = true};
    }
    ScriptedResponse busy = StatusFailure(429, "TooManyRequests", "later");
    busy.headers.emplace_back("Retry-After", "1");
    return busy;
  };
  class Deaf final : public ListReceiver {
   public:
    void OnItem(AnyRef) override {}
    void OnUnreadable(std::string_view, std::string_view, const Error&) override {}
    void OnDone(Result<ListMeta>) override {}
  } deaf;
  std::vector<std::unique_ptr<ListerWatcher>> sources;
  std::vector<std::unique_ptr<ListWatchCall>> lists;
  sim_.env().loop().Post([&] {
    for (int i = 0; i < 20; ++i) {
      sources.push_back(NewListWatch(client_, pods_, ""));
      lists.push_back(sources.back()->List({}, deaf));
    }
  });
  sim_.RunFor(seconds(1));
  const std::size_t before = server_.requests.size();
  Ask({""}, pods_);
  sim_.RunFor(seconds(30));
  EXPECT_EQ(AnswerOf(0), "TooManyRequests");
  EXPECT_EQ(server_.requests.size(), before + 1);
  sim_.env().loop().Post([&] {
    lists.clear();
    sources.clear();
  });
  sim_.RunReady();
}

// A resource known only by its name may be cluster-scoped.
TEST_F(VersionQuestionsTest, ResourceOfUnknownScope_IsAskedWithoutNamespace) {
  server_.fallback = [](const HttpRequest&) { return ListAt("77"); };
  std::string told;
  sim_.env().loop().Post([&] {
    Asker& asker = *askers_.emplace_back(std::make_unique<Asker>());
    asker.source =
        NewListWatch(client_, GroupVersionResource{"example.com", "v1", "widgets"}, "", {});
    asker.call = asker.source->CurrentVersion(
        [&told](const Result<std::string>& version) { told = version.value_or("error"); });
  });
  Settle();
  EXPECT_EQ(told, "77");
  EXPECT_EQ(Targets(), (std::vector<std::string>{
                           "/apis/example.com/v1/widgets?fieldSelector=metadata.name%3D_NOBODY_"}));
}

TEST_F(VersionQuestionsTest, NobodyWaitsForTheRateLimiter) {
  client_ = Client::ForTransport(sim_.env(), transport_, {.qps = 0.001, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return ListAt("77"); };
  Ask({""}, pods_);
  Ask({""}, nodes_);
  Settle();
  EXPECT_EQ(AnswerOf(0), "77");
  EXPECT_EQ(AnswerOf(1), "77");
}

// A refusal may concern only one namespace; a missing response concerns all.
TEST_F(VersionQuestionsTest, UnansweredQuestion_AllCallersGetTheError) {
  server_.script = {{.body = "{", .hang = true}};
  Ask({"a", "b"}, pods_);
  sim_.RunFor(seconds(11));
  EXPECT_EQ(AnswerOf(0), "DeadlineExceeded");
  EXPECT_EQ(AnswerOf(1), "DeadlineExceeded");
  EXPECT_EQ(server_.requests.size(), 1U);
}

TEST_F(VersionQuestionsTest, CanceledBeforeSending_AsksNothing) {
  Ask({"", ""}, pods_);
  sim_.env().loop().Post([this] {
    for (const auto& asker : askers_) asker->call.reset();
  });
  Settle();
  EXPECT_TRUE(server_.requests.empty());
}

TEST_F(VersionQuestionsTest, CanceledWhileQueued_AsksNothing) {
  server_.script = {{.body = "{", .hang = true}};
  Ask({""}, pods_);
  Settle();
  Ask({""}, pods_);
  Settle();
  sim_.env().loop().Post([this] { askers_[1]->call.reset(); });
  sim_.RunFor(seconds(11));
  EXPECT_EQ(AnswerOf(0), "DeadlineExceeded");
  EXPECT_EQ(server_.requests.size(), 1U);
}

TEST_F(VersionQuestionsTest, CallerCancels_OthersGetTheAnswer) {
  transport_ = NewInMemoryTransport(sim_.env(), server_,
                                    {.min_latency = seconds(1), .max_latency = seconds(1)});
  client_ = Client::ForTransport(sim_.env(), transport_, {.qps = -1});
  server_.script = {ListAt("9")};
  Ask({"", ""}, pods_);
  Settle();
  sim_.env().loop().Post([this] { askers_[0]->call.reset(); });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(AnswerOf(0), "none");
  EXPECT_EQ(AnswerOf(1), "9");
  EXPECT_EQ(server_.requests.size(), 1U);
}

// A response ends the question, even if its caller keeps the handle.
TEST_F(VersionQuestionsTest, KeptHandle_DoesNotDelayLaterQuestions) {
  transport_ = NewInMemoryTransport(sim_.env(), server_,
                                    {.min_latency = seconds(1), .max_latency = seconds(1)});
  client_ = Client::ForTransport(sim_.env(), transport_, {.qps = -1});
  server_.script = {ListAt("1"), ListAt("2"), ListAt("3")};
  std::vector<std::string> told;
  const auto ask = [&] {
    sim_.env().loop().Post([&] {
      Asker& asker = *askers_.emplace_back(std::make_unique<Asker>());
      asker.source = NewListWatch(client_, pods_, "");
      asker.call = asker.source->CurrentVersion(
          [&told](const Result<std::string>& version) { told.push_back(version.value_or("-")); });
    });
    Settle();
  };
  ask();
  ask();
  sim_.RunFor(seconds(10));
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2"}));
  ask();
  sim_.RunFor(seconds(10));
  EXPECT_EQ(told, (std::vector<std::string>{"1", "2", "3"}));
}

TEST_F(VersionQuestionsTest, CanceledCaller_GetsNoAnswer) {
  server_.script = {{.body = "{", .hang = true}, ListAt("9")};
  Ask({""}, pods_);
  Settle();
  Ask({""}, pods_);
  Settle();
  sim_.env().loop().Post([this] { askers_[0]->call.reset(); });
  Settle();
  EXPECT_EQ(AnswerOf(0), "none");
  EXPECT_EQ(AnswerOf(1), "9") << "the question that nobody waits for is given up";
}

}  // namespace
}  // namespace kinformer::internal::client
