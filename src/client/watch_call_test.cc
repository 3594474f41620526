// Duration and end of a watch. list_watch_test.cc tests its events.

#include "client/watch_call.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
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
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class Notes final : public WatchReceiver {
 public:
  std::vector<std::string> unreadable{};
  int sent = 0;
  int broken = 0;
  int events = 0;
  int done = 0;
  void OnSent() override { ++sent; }
  void OnStarted() override {}
  void OnBroken() override { ++broken; }
  void OnEvent(const WatchEvent& event) override {
    ++events;
    if (!event.unreadable) return;
    unreadable.push_back(std::to_string(static_cast<int>(event.type)) + " " +
                         std::string(event.namespace_) + "/" + std::string(event.name) + "@" +
                         std::string(event.resourceVersion) + (event.why != nullptr ? "" : " ?"));
  }
  void OnDone(Result<void> result) override {
    if (!result) error = result.error().ToString();
    ++done;
  }
  std::string error{};
};

// Keeps the handle when the watch has ended.
class WatchCallTest : public ::testing::Test {
 protected:
  void Watch(ListOptions options, ScriptedResponse response) {
    server_.script = {std::move(response)};
    sim_.env().loop().Post([this, options] {
      call_.reset();
      notes_ = Notes();
      call_ = source_->Watch(options, notes_);
    });
    sim_.RunReady();
  }
  void TearDown() override {
    sim_.env().loop().Post([this] { call_.reset(); });
    sim_.RunReady();
  }

  const KindInfo& widgets_ = *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  Simulation sim_{{.seed = 3}};
  ScriptedServer server_;
  Client client_ = Client::ForTransport(
      sim_.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_)),
      {.qps = -1});
  std::unique_ptr<ListerWatcher> source_ = NewListWatch(client_, widgets_, "default");
  Notes notes_;
  std::unique_ptr<ListWatchCall> call_;
};

TEST_F(WatchCallTest, WatchWithoutTimeout_IsNeverOverdue) {
  Watch({}, {.body = "", .hang = true});
  sim_.RunFor(hours(10));
  EXPECT_EQ(notes_.done, 0);
  EXPECT_EQ(notes_.sent, 0) << "that is of watches that begin with a list";
}

TEST_F(WatchCallTest, OverdueWatch_EndsAfter30Seconds) {
  for (const int timeout : {1, 300}) {
    Watch({.timeoutSeconds = timeout}, {.body = "", .hang = true});
    sim_.RunFor(seconds(timeout + 30) - std::chrono::milliseconds(1));
    EXPECT_EQ(notes_.done, 0);
    sim_.RunFor(std::chrono::milliseconds(1));
    EXPECT_EQ(notes_.done, 1) << timeout;
    EXPECT_EQ(notes_.broken, 1);
    EXPECT_EQ(server_.open_streams, 0);
  }
}

// A connection that breaks before the server accepts the watch is an error.
TEST_F(WatchCallTest, ConnectionBreaks_BeforeTheAnswerIsAnError) {
  Watch({}, {.cut_before_answer = true});
  sim_.RunFor(seconds(1));
  EXPECT_EQ(notes_.done, 1);
  EXPECT_EQ(notes_.broken, 0);
  EXPECT_NE(notes_.error, "");
  Watch({}, {.body = "", .cut = true});
  sim_.RunFor(seconds(1));
  EXPECT_EQ(notes_.done, 1);
  EXPECT_EQ(notes_.broken, 1);
  EXPECT_EQ(notes_.error, "");
}

TEST_F(WatchCallTest, FinishedWatch_EndsOnce) {
  Watch({.sendInitialEvents = true, .timeoutSeconds = 10}, {.body = ""});
  sim_.RunFor(seconds(1));
  EXPECT_EQ(notes_.done, 1);
  EXPECT_EQ(notes_.sent, 1);
  sim_.RunFor(minutes(10));
  EXPECT_EQ(notes_.done, 1);
  EXPECT_EQ(notes_.broken, 0);
}

class ListNotes final : public ListReceiver {
 public:
  std::string done{};
  void OnItem(AnyRef) override {}
  void OnUnreadable(std::string_view, std::string_view, const Error&) override {}
  void OnDone(Result<ListMeta> result) override {
    done = result ? "ok" : std::to_string(result.error().http_status());
  }
};

// Callers of lists and watches repeat them. Lists and watches have their own connections.
TEST_F(WatchCallTest, ListsAndWatches_AreNotRetriedByTheClient) {
  ScriptedResponse busy = Json("{}", 429);
  busy.headers.emplace_back("Retry-After", "1");
  ListNotes list;
  server_.script = {busy, Json("{}")};
  sim_.env().loop().Post([&] { call_ = source_->List({}, list); });
  sim_.RunFor(minutes(1));
  EXPECT_EQ(list.done, "429");
  ASSERT_EQ(server_.requests.size(), 1U);
  EXPECT_EQ(server_.requests.back().pool, ConnectionPool::kList);
  server_.script = {{.body = ""}};
  Watch({}, {.body = ""});
  sim_.RunFor(minutes(1));
  ASSERT_EQ(server_.requests.size(), 2U);
  EXPECT_EQ(server_.requests.back().pool, ConnectionPool::kWatch);
}

TEST_F(WatchCallTest, UnreadableObjectsAreNamedWithTheirEvent) {
  const auto bad = [](const std::string& type, const std::string& kind, const std::string& ns) {
    return R"({"type":")" + type + R"(","object":{"kind":")" + kind +
           R"(","apiVersion":"example.com/v1","metadata":{"name":"bad",)" +
           (ns.empty() ? ns : R"("namespace":")" + ns + R"(",)") +
           R"("resourceVersion":"7","uid":5}}})" + "\n";
  };
  Watch({}, Json(bad("ADDED", "Widget", "default") + bad("MODIFIED", "Widget", "") +
                 bad("DELETED", "Widget", "default") + bad("ADDED", "Widget", "other") +
                 bad("ADDED", "Gadget", "default")));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(notes_.unreadable,
            (std::vector<std::string>{"0 default/bad@7", "1 default/bad@7", "2 default/bad@7"}));
  EXPECT_EQ(notes_.done, 1);
}

// An event may have 1024 bytes besides an object of the largest allowed size.
TEST_F(WatchCallTest, EventBytesBesidesTheObject_AreLimited) {
  constexpr std::size_t kLimit = 200;
  const auto event = [](std::size_t size) {
    std::string text = R"({"type":"ADDED","object":{"metadata":{"name":"a","namespace":"default",)"
                       R"("resourceVersion":"7"}},"more":""})";
    return text.insert(text.size() - 2, std::string(size - text.size(), 'x')) + "\n";
  };
  sim_.env().loop().Post(
      [&] { EXPECT_TRUE(source_->SetEntryOptions({.max_object_bytes = kLimit})); });
  for (const std::size_t size : {kLimit + 1024, kLimit + 1025}) {
    Watch({}, Json(event(size)));
    sim_.RunFor(seconds(1));
    EXPECT_EQ(notes_.events, 1);
    EXPECT_EQ(notes_.unreadable.size(), size == kLimit + 1024 ? 0U : 1U);
    EXPECT_EQ(notes_.error, "");
  }
}

TEST_F(WatchCallTest, OversizedObjects_OnlyTheExpectedKindIsNamed) {
  EXPECT_TRUE(source_->SetEntryOptions({.max_object_bytes = 200}));
  const auto large = [](const std::string& kind) {
    return R"({"type":"ADDED","object":{"kind":")" + kind +
           R"(","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"default",)"
           R"("resourceVersion":"7"},"x":")" +
           std::string(9000, 'x') + "\"}}\n";
  };
  Watch({}, Json(large("Gadget") + large("Widget")));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(notes_.unreadable, (std::vector<std::string>{"0 default/a@7"}));
  EXPECT_EQ(notes_.error, "");
}

// An object without identity cannot be reported as missing.
TEST_F(WatchCallTest, UnreadableObjectWithoutName_EndsTheWatch) {
  Watch({}, Json(R"({"type":"ADDED","object":{"kind":"Widget","metadata":{"uid":5}}})"));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(notes_.done, 1);
  EXPECT_NE(notes_.error.find("watch of /apis/example.com/v1/namespaces/default/widgets"),
            std::string::npos)
      << notes_.error;
  EXPECT_TRUE(notes_.unreadable.empty());
}

}  // namespace
}  // namespace kinformer::internal::client
