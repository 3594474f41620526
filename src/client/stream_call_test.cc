// Handling of responses by lists and watches, except for objects: see list_watch_test.cc.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/object/field_selector.h"

#include "client/client_core.h"
#include "client/list_watch.h"
#include "client/testing/scripted_server.h"
#include "wire/envelope.h"
#include "wire/protobuf_writer.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::Protobuf;
using ::kinformer::testing::ScriptedServer;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Thing(const std::string& kind, const std::string& name) {
  return R"({"apiVersion":"example.com/v1","kind":")" + kind + R"(","metadata":{"name":")" + name +
         R"(","namespace":"default","resourceVersion":"1"}})";
}

std::string ListOf(const std::string& items) {
  return R"({"apiVersion":"example.com/v1","kind":"WidgetList","metadata":)"
         R"({"resourceVersion":"7"},"items":[)" +
         items + "]}";
}

class Notes final : public ListReceiver, public WatchReceiver {
 public:
  void OnItem(AnyRef object) override { objects.push_back(std::move(object).object()); }
  void OnUnreadable(std::string_view, std::string_view name, const Error&) override {
    unreadable.emplace_back(name);
  }
  void OnDone(Result<ListMeta> result) override {
    ++ends;
    if (!result) error = std::move(result).error();
  }
  void OnStarted() override {}
  void OnEvent(const WatchEvent& event) override { objects.push_back(event.object.object()); }
  void OnDone(Result<void> result) override {
    ++ends;
    if (!result) error = std::move(result).error();
  }
  void OnChunkEnd() override {}

  std::vector<ObjectRef> objects{};
  std::vector<std::string> unreadable{};
  std::optional<Error> error{};
  int ends = 0;
};

class StreamCallTest : public ::testing::Test {
 protected:
  void Use(std::shared_ptr<Transport> transport, const ClientOptions& options) {
    client_.emplace(Client::ForTransport(sim_.env(), std::move(transport), options));
    source_ = NewListWatch(*client_, widgets_, "default");
  }
  void Use(const ClientOptions& options = {.qps = -1}) {
    Use(std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_)), options);
  }
  // `start` makes a call; waits for its end.
  template <class F>
  void Call(F start) {
    notes_ = Notes();
    sim_.env().loop().Post([&] { call_ = start(); });
    EXPECT_TRUE(sim_.RunUntil([&] { return notes_.ends > 0; }, std::chrono::minutes(5)));
    sim_.RunFor(seconds(1));
    Drop();
  }
  void List(const ListOptions& options = {}) {
    Call([&] { return source_->List(options, notes_); });
  }
  void Watch(const ListOptions& options = {}) {
    Call([&] { return source_->Watch(options, notes_); });
  }
  void Drop() {
    sim_.env().loop().Post([&] { call_.reset(); });
    sim_.RunReady();
  }
  void TearDown() override {
    sim_.env().loop().Post([&] { source_.reset(); });
    sim_.RunReady();
  }

  const KindInfo& widgets_ = *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  Simulation sim_{{.seed = 3}};
  ScriptedServer server_;
  std::optional<Client> client_;
  std::unique_ptr<ListerWatcher> source_;
  std::unique_ptr<ListWatchCall> call_;
  Notes notes_;
};

// Sends its whole response in one turn of the loop, a fixed time after the request.
class AtOnce final : public Transport {
 public:
  AtOnce(Env& env, Duration after, std::string content_type, std::vector<std::string> chunks)
      : env_(env),
        after_(after),
        content_type_(std::move(content_type)),
        chunks_(std::move(chunks)) {}

  std::unique_ptr<HttpCall> Start(HttpRequest, ResponseReceiver& receiver) override {
    return std::make_unique<Call>(env_.loop().RunAt(env_.Now() + after_, [this, &receiver] {
      HttpHeaders headers;
      headers.Add("Content-Type", content_type_);
      receiver.OnHeaders(200, headers);
      for (const std::string& chunk : chunks_) receiver.OnData(chunk);
      receiver.OnDone({});
    }));
  }
  [[nodiscard]] TransportStats Stats() const override { return {}; }
  [[nodiscard]] std::string Describe() const override { return "at once"; }

 private:
  class Call final : public HttpCall {
   public:
    explicit Call(Timer timer) : timer_(std::move(timer)) {}

   private:
    Timer timer_;
  };

  Env& env_;
  const Duration after_;
  const std::string content_type_;
  const std::vector<std::string> chunks_;
};

TEST_F(StreamCallTest, EventsAfterAnError_AreNotRead) {
  Use(std::make_shared<AtOnce>(
          sim_.env(), Duration(0), "application/json",
          std::vector<std::string>{R"({"type":"RENAMED","object":{}})"
                                   "\n",
                                   R"({"type":"ADDED","object":)" + Thing("Widget", "a") + "}\n"}),
      {.qps = -1});
  Watch();
  EXPECT_EQ(notes_.ends, 1);
  ASSERT_TRUE(notes_.error) << "though the answer has ended well";
  EXPECT_NE(notes_.error->message().find("RENAMED"), std::string::npos) << *notes_.error;
  EXPECT_TRUE(notes_.objects.empty());
}

TEST_F(StreamCallTest, UnreadableBody_IsAnErrorNotAnEmptyList) {
  Use(std::make_shared<AtOnce>(sim_.env(), Duration(0), "text/html",
                               std::vector<std::string>{"<html>"}),
      {.qps = -1});
  List();
  EXPECT_EQ(notes_.ends, 1);
  ASSERT_TRUE(notes_.error);
  EXPECT_EQ(notes_.error->reason(), Reason::kDecode);
}

// A malformed response arrives at the very moment at which the watch ends as overdue.
TEST_F(StreamCallTest, AWatchEndsOnce) {
  Use(std::make_shared<AtOnce>(sim_.env(), seconds(31), "application/json",
                               std::vector<std::string>{"garbage"}),
      {.qps = -1});
  Watch({.timeoutSeconds = 1});
  EXPECT_EQ(notes_.ends, 1);
}

TEST_F(StreamCallTest, BrokenConnectionAfterTheWholeList_IsAnError) {
  Use();
  server_.script = {{.body = ListOf(Thing("Widget", "a")), .cut = true}};
  List();
  EXPECT_EQ(notes_.objects.size(), 1U);
  ASSERT_TRUE(notes_.error);
  EXPECT_EQ(notes_.error->reason(), Reason::kUnexpectedEof);
}

// An object without identity cannot be reported as missing.
TEST_F(StreamCallTest, OversizedObjectWithoutName_EndsTheList) {
  Use();
  EXPECT_TRUE(source_->SetEntryOptions({.max_object_bytes = 200}));
  const std::string text = R"("x":")" + std::string(9000, 'x') + '"';
  server_.script = {Json(ListOf(R"({"metadata":{"name":"a"},)" + text + "}")),
                    Json(ListOf("{" + text + "}"))};
  List();
  EXPECT_FALSE(notes_.error) << *notes_.error;
  EXPECT_EQ(notes_.unreadable, (std::vector<std::string>{"a"}));
  List();
  ASSERT_TRUE(notes_.error);
  EXPECT_EQ(notes_.error->reason(), Reason::kOverLimit);
  EXPECT_TRUE(notes_.unreadable.empty());
}

TEST_F(StreamCallTest, AKindIsLearnedOnceAndOnlyWhereItIsNotKnown) {
  Use();
  const auto kinds = [&](std::unique_ptr<ListerWatcher> source) {
    server_.script = {Json(ListOf(Thing("Gadget", "a") + "," + Thing("Widget", "b")))};
    source_ = std::move(source);
    List();
    std::string text;
    for (const ObjectRef& object : notes_.objects) {
      text += std::string(object->type().kind) + (object->type().namespaced ? "/" : ";");
    }
    return text;
  };
  EXPECT_EQ(kinds(NewListWatch(*client_, widgets_, "default")), "Widget/Widget/");
  const GroupVersionResource widgets{"example.com", "v1", "widgets"};
  EXPECT_EQ(kinds(NewListWatch(*client_, widgets, "", {})), "Gadget/Gadget/");
}

TEST_F(StreamCallTest, AWatchOfWholeObjectsIgnoresMetadata) {
  Use();
  server_.script = {
      Json(R"({"type":"ADDED","object":)" + Thing("PartialObjectMetadata", "a") + "}\n")};
  Watch();
  EXPECT_FALSE(notes_.error);
  EXPECT_TRUE(notes_.objects.empty());
}

// A selector that selects everything changes nothing, and does not override that of the caller.
TEST_F(StreamCallTest, ASelectorOfEverythingLeavesTheOptionsAlone) {
  Use();
  server_.script = {Json(ListOf(""))};
  source_ = NewListWatch(*client_, GroupVersionResource{"example.com", "v1", "widgets"}, "",
                         FieldSelector::Parse("").OrExit());
  List({.fieldSelector = "metadata.name=a"});
  EXPECT_EQ(server_.requests.at(0).target,
            "/apis/example.com/v1/widgets?fieldSelector=metadata.name%3Da");
}

// Lists of informers wait in the list gate instead.
TEST_F(StreamCallTest, ListsOfInformersDoNotWaitForTheRateLimiter) {
  Use({.qps = 0.001, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json(ListOf("")); };
  const SteadyTime begun = sim_.env().Now();
  for (int i = 0; i < 3; ++i) List();
  EXPECT_LT(sim_.env().Now() - begun, seconds(10));
  EXPECT_EQ(server_.requests.size(), 3U);
}

TEST_F(StreamCallTest, InvalidPath_SendsNothing) {
  Use();
  const auto nothing = [](const Result<std::string>&) {};
  source_ = NewListWatch(*client_, widgets_, "a/b");
  EXPECT_EQ(source_->CurrentVersion(nothing), nullptr);
  EXPECT_EQ(source_->ListMetadata("", {}, notes_), nullptr);
  source_ = NewListWatch(*client_, widgets_, "");
  EXPECT_EQ(source_->ListMetadata("a/b", {}, notes_), nullptr);
  sim_.RunFor(milliseconds(100));
  EXPECT_TRUE(server_.requests.empty());
}

// A server that cannot reduce objects to metadata sends whole objects.
TEST_F(StreamCallTest, AListOfMetadataHasNothingElse) {
  const auto item = [](wire::ProtobufWriter& list, bool whole) {
    list.Nested(2, [&](wire::ProtobufWriter& object) {
      object.Nested(1, [](wire::ProtobufWriter& metadata) { metadata.BytesField(1, "a"); });
      if (whole) object.BytesField(2, "its spec");
    });
  };
  std::string message;
  wire::ProtobufWriter list(message);
  item(list, false);
  item(list, true);
  Use();
  server_.script = {
      Protobuf(wire::SealEnvelope("meta.k8s.io/v1", "PartialObjectMetadataList", message))};
  Call([&] { return source_->ListMetadata("", {}, notes_); });
  EXPECT_FALSE(notes_.error) << *notes_.error;
  ASSERT_EQ(notes_.objects.size(), 2U);
  EXPECT_TRUE(notes_.objects[0]->SameAs(*notes_.objects[1]));
}

}  // namespace
}  // namespace kinformer::internal::client
