#include "client/list_watch.h"

#include <gtest/gtest.h>

#include "kinformer/api/appsv1.h"
#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/object/object.h"

#include "client/client_core.h"
#include "client/testing/list_watch_fixture.h"
#include "wire/envelope.h"

namespace kinformer::internal::client {
namespace {

// A view of a kind that is known at compile time.
class Gadget {
 public:
  explicit Gadget(const Block*) {}
  static const KindInfo& kind_info() {
    return *DynamicKindInfo("example.com", "v1", "Gadget", "gadgets", true);
  }
};

TEST_F(ListWatchTest, EntryOptionsCutAndLimit) {
  server_.script = {Json(WidgetList(Widget("a", 1), R"("resourceVersion":"7")")),
                    Json(WidgetList(Widget("a", 1), R"("resourceVersion":"7")"))};
  class Keeper final : public ListReceiver {
   public:
    void OnItem(AnyRef object) override { objects.push_back(std::move(object).object()); }
    void OnUnreadable(std::string_view, std::string_view name, const Error& error) override {
      unreadable.push_back(std::string(name) + ": " + error.ToString());
    }
    void OnDone(Result<ListMeta> result) override { done = std::move(result); }
    std::vector<ObjectRef> objects{};
    std::vector<std::string> unreadable{};
    std::optional<Result<ListMeta>> done{};
  };
  const auto list = [&](const EntryOptions& options) {
    Keeper keeper;
    sim_.env().loop().Post([&] {
      source_ = NewListWatch(*client_, widgets_, "default");
      EXPECT_TRUE(source_->SetEntryOptions(options));
      call_ = source_->List({}, keeper);
    });
    sim_.RunUntil([&] { return keeper.done.has_value(); }, seconds(60));
    Drop();
    return keeper;
  };
  const Keeper cut = list({.projection = Projection::Drop({"spec"}).OrExit()});
  ASSERT_EQ(cut.objects.size(), 1U);
  EXPECT_TRUE(cut.objects[0]->partial());
  EXPECT_EQ(cut.objects[0]->payload(), "{}");
  const Keeper limited = list({.max_object_bytes = 100});
  ASSERT_TRUE(limited.done->ok()) << limited.done->error();
  ASSERT_EQ(limited.unreadable.size(), 1U);
  EXPECT_TRUE(limited.unreadable[0].starts_with("a: OverLimit: ")) << limited.unreadable[0];
}

TEST_F(ListWatchTest, AListStreamsItsItems) {
  server_.script = {
      Json(WidgetList(Widget("a", 1) + "," + Widget("b", 2),
                      R"("resourceVersion":"7","continue":"c","remainingItemCount":5)"))};
  List(widgets_, {.labelSelector = "a=b", .limit = 2});
  EXPECT_EQ(server_.requests.at(0).target,
            "/apis/example.com/v1/namespaces/default/widgets?labelSelector=a%3Db&limit=2");
  EXPECT_EQ(server_.requests.at(0).headers.Get("Accept"), "application/json");
  EXPECT_EQ(server_.requests.at(0).pool, ConnectionPool::kList);
  ASSERT_TRUE(recorder_.list_done->ok()) << recorder_.list_done->error();
  EXPECT_EQ(recorder_.items, (std::vector<std::string>{"default/a@1", "default/b@2"}));
  EXPECT_EQ((*recorder_.list_done)->resourceVersion, "7");
  EXPECT_EQ((*recorder_.list_done)->continue_, "c");
  EXPECT_EQ((*recorder_.list_done)->remainingItemCount, 5);
  EXPECT_GT(recorder_.chunk_ends, 2);
}

TEST_F(ListWatchTest, TheTweakChangesEveryRequest) {
  const auto tweak = [](ListOptions& options) { options.fieldSelector = "metadata.name=x"; };
  server_.script = {Json(WidgetList("", R"("resourceVersion":"7")"))};
  List(widgets_, {}, "", tweak);
  EXPECT_EQ(server_.requests.at(0).target,
            "/apis/example.com/v1/widgets?fieldSelector=metadata.name%3Dx");
}

TEST_F(ListWatchTest, Scope_HasNamespaceAndSelectorsOfRequests) {
  const auto scope = [&](const std::string& ns, const std::function<void(ListOptions&)>& tweak) {
    return NewListWatch(*client_, widgets_, ns, tweak)->Scope();
  };
  EXPECT_EQ(scope("shop", {}).namespace_, "shop");
  EXPECT_EQ(scope("", {}).namespace_, "");
  const ListScope limited = scope("", [](ListOptions& options) {
    options.labelSelector = "app=web";
    options.fieldSelector = "metadata.name=x";
  });
  EXPECT_EQ(limited.labelSelector, "app=web");
  EXPECT_EQ(limited.fieldSelector, "metadata.name=x");
  EXPECT_EQ(scope("", [](ListOptions& options) { options.limit = 5; }).labelSelector, "");
}

TEST_F(ListWatchTest, AListThatBreaksOffIsAnError) {
  const std::string whole = WidgetList(Widget("a", 1), R"("resourceVersion":"7")");
  server_.script = {{.body = whole.substr(0, whole.size() - 5), .cut = true}};
  List(widgets_);
  ASSERT_FALSE(recorder_.list_done->ok());
  EXPECT_EQ(recorder_.list_done->error().reason(), Reason::kUnexpectedEof);
  // The same if the server's response is shorter than a whole list, without an error.
  server_.script = {Json(whole.substr(0, whole.size() - 5))};
  List(widgets_);
  ASSERT_FALSE(recorder_.list_done->ok());
  EXPECT_NE(recorder_.list_done->error().message().find("/widgets"), std::string::npos)
      << recorder_.list_done->error();
}

TEST_F(ListWatchTest, NotAList_IsADecodeError) {
  server_.script = {Json("<html>")};
  List(widgets_);
  ASSERT_FALSE(recorder_.list_done->ok());
  EXPECT_EQ(recorder_.list_done->error().reason(), Reason::kDecode);
  server_.script = {{.headers = {{"Content-Type", "text/html"}}, .body = "<html>"}};
  List(widgets_);
  EXPECT_NE(recorder_.list_done->error().message().find("text/html"), std::string::npos);
}

TEST_F(ListWatchTest, ServerErrorsKeepTheirReason) {
  server_.script = {StatusFailure(410, "Expired", "too old")};
  List(widgets_);
  EXPECT_TRUE(IsResourceExpired(recorder_.list_done->error()));
}

TEST_F(ListWatchTest, MalformedObject_DoesNotEndTheList) {
  const std::string bad =
      R"({"metadata":{"name":"bad","namespace":"default","resourceVersion":5},"spec":{}})";
  server_.script = {Json(
      WidgetList(Widget("a", 1) + "," + bad + "," + Widget("b", 2), R"("resourceVersion":"7")"))};
  List(widgets_);
  ASSERT_TRUE(recorder_.list_done->ok()) << recorder_.list_done->error();
  EXPECT_EQ(recorder_.items.size(), 2u);
  EXPECT_EQ(recorder_.unreadable, (std::vector<std::string>{"default/bad"}));
}

TEST_F(ListWatchTest, AnUnknownKindIsLearnedFromTheObjects) {
  const KindInfo& unknown = *DynamicKindInfo("example.com", "v1", "", "widgets", false);
  server_.script = {Json(WidgetList(Widget("a", 1), R"("resourceVersion":"7")"))};
  List(unknown, {}, "");
  ASSERT_TRUE(recorder_.list_done->ok()) << recorder_.list_done->error();
  EXPECT_EQ(recorder_.kinds, (std::vector<std::string>{"Widget"}));
}

TEST_F(ListWatchTest, UntypedResource_IsListedWithSelectors) {
  const GroupVersionResource widgets{"example.com", "v1", "widgets"};
  server_.script = {Json(WidgetList(Widget("a", 1), R"("resourceVersion":"7")")),
                    Json(WidgetList(Widget("a", 1), R"("resourceVersion":"7")"))};
  ListFrom(
      NewListWatch(*client_, widgets, "default", FieldSelector::Parse("metadata.name=a").OrExit()));
  ASSERT_TRUE(recorder_.list_done->ok()) << recorder_.list_done->error();
  EXPECT_EQ(recorder_.kinds, (std::vector<std::string>{"Widget"}));
  EXPECT_EQ(server_.requests.at(0).target,
            "/apis/example.com/v1/namespaces/default/widgets?fieldSelector=metadata.name%3Da");

  ListFrom(NewFilteredListWatch(*client_, widgets, "",
                                [](ListOptions& options) { options.labelSelector = "app=web"; }));
  EXPECT_EQ(server_.requests.at(1).target, "/apis/example.com/v1/widgets?labelSelector=app%3Dweb");
}

TEST_F(ListWatchTest, TypedResource_SendsTheFieldSelector) {
  server_.script = {Json(WidgetList("", R"("resourceVersion":"7")"))};
  ListFrom(NewListWatch<Gadget>(*client_, "default", FieldSelector::Parse("spec.size=3").OrExit()));
  EXPECT_EQ(server_.requests.at(0).target,
            "/apis/example.com/v1/namespaces/default/gadgets?fieldSelector=spec.size%3D3");
}

TEST_F(ListWatchTest, MetadataAsksForItInProtobufAndJson) {
  const std::string list =
      Field(1, Field(2, "9")) + Field(2, MetadataMessage("a", "1")) +
      Field(2, MetadataMessage("b", "2") + Field(2, "the rest of a Deployment"));
  server_.script = {
      Protobuf(wire::SealEnvelope("meta.k8s.io/v1", "PartialObjectMetadataList", list))};
  List(metadata_);
  EXPECT_EQ(server_.requests.at(0).headers.Get("Accept"),
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  ASSERT_TRUE(recorder_.list_done->ok()) << recorder_.list_done->error();
  EXPECT_EQ(recorder_.items, (std::vector<std::string>{"default/a@1", "default/b@2"}));
  EXPECT_EQ((*recorder_.list_done)->resourceVersion, "9");
}

TEST_F(ListWatchTest, ARefusalOfProtobufForMetadataIsNotOneForObjects) {
  server_.fallback = [](const HttpRequest&) {
    return StatusFailure(406, "NotAcceptable", "JSON only");
  };
  List(metadata_, {}, "");
  ASSERT_EQ(server_.requests.size(), 2U) << "once more, in JSON";
  List(metadata_, {}, "");
  ASSERT_EQ(server_.requests.size(), 3U) << "remembered";
  List(appsv1::Deployment::kind_info(), {}, "");
  ASSERT_EQ(server_.requests.size(), 5U);
  const char* const want[] = {"protobuf", "json", "json", "protobuf", "json"};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string accept(server_.requests[i].headers.Get("Accept"));
    EXPECT_EQ(accept.find("protobuf") != std::string::npos, want[i] == std::string_view("protobuf"))
        << i << ": " << accept;
  }
}

TEST_F(ListWatchTest, AWatchInJson_RS03_SD01) {
  server_.script = {Json(
      R"({"type":"ADDED","object":)" + Widget("a", 1) + "}\n" + R"({"type":"MODIFIED","object":)" +
      Widget("a", 2) + "}" +
      R"({"type":"BOOKMARK","object":{"kind":"Widget","apiVersion":"example.com/v1","metadata":)"
      R"({"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}})"
      "\n" +
      R"({"type":"DELETED","object":)" + Widget("a", 6) + "}\n")};
  Watch(widgets_, {.resourceVersion = "1", .allowWatchBookmarks = true, .timeoutSeconds = 300});
  EXPECT_EQ(server_.requests.at(0).target,
            "/apis/example.com/v1/namespaces/default/widgets"
            "?allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=300&watch=true");
  EXPECT_EQ(server_.requests.at(0).pool, ConnectionPool::kWatch);
  EXPECT_EQ(recorder_.started, 1);
  EXPECT_EQ(recorder_.items, (std::vector<std::string>{"+default/a@1", "~default/a@2",
                                                       "bookmark@5 end", "-default/a@6"}));
  EXPECT_TRUE(recorder_.watch_done->ok());
}

TEST_F(ListWatchTest, AWatchInProtobuf_RS02_SD01) {
  const auto frame = [](const std::string& type, const std::string& object) {
    const std::string event =
        Field(1, type) +
        Field(2, Field(1, wire::SealEnvelope("meta.k8s.io/v1", "PartialObjectMetadata", object)));
    return std::string("\0\0\0", 3) + static_cast<char>(event.size()) + event;
  };
  const std::string bookmark =
      Field(1, Field(6, "5") + Field(12, Field(1, "k8s.io/initial-events-end") + Field(2, "true")));
  server_.script = {Protobuf(
      frame("ADDED", MetadataMessage("a", "1")) + frame("BOOKMARK", bookmark) + frame("ERROR", ""),
      ";stream=watch")};
  Watch(metadata_);
  EXPECT_EQ(recorder_.items, (std::vector<std::string>{"+default/a@1", "bookmark@5 end"}));
  ASSERT_FALSE(recorder_.watch_done->ok());
}

TEST_F(ListWatchTest, AWatchInAnotherMediaType_IsAnErrorThatNamesIt_RS02) {
  const std::string body = R"({"type":"ADDED","object":)" + Widget("a", 1) + "}\n";
  for (const char* type : {"text/html", "application/yaml", ""}) {
    server_.script = {{.headers = {{"Content-Type", type}}, .body = body, .hang = true}};
    Watch(widgets_);
    ASSERT_TRUE(recorder_.watch_done.has_value()) << type;
    ASSERT_FALSE(recorder_.watch_done->ok()) << type;
    EXPECT_EQ(recorder_.watch_done->error().reason(), Reason::kDecode) << type;
    EXPECT_NE(recorder_.watch_done->error().message().find("media type \"" + std::string(type)),
              std::string::npos)
        << recorder_.watch_done->error();
    EXPECT_TRUE(recorder_.items.empty()) << type;
  }
  server_.script = {
      {.headers = {{"Content-Type", "application/json; charset=utf-8"}}, .body = body}};
  Watch(widgets_);
  EXPECT_TRUE(recorder_.watch_done->ok()) << recorder_.watch_done->error();
  EXPECT_EQ(recorder_.items, (std::vector<std::string>{"+default/a@1"}));
}

TEST_F(ListWatchTest, AnErrorEventEndsTheWatchWithItsStatus_SD02) {
  server_.script = {
      {.body = R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired",)"
               R"("code":410,"message":"too old"}})"
               "\n",
       .hang = true}};
  Watch(widgets_);
  ASSERT_TRUE(recorder_.watch_done.has_value());
  EXPECT_TRUE(IsResourceExpired(recorder_.watch_done->error()));
}

TEST_F(ListWatchTest, ABrokenConnectionMeansResume) {
  server_.script = {
      {.body = R"({"type":"ADDED","object":)" + Widget("a", 1) + "}\n{\"type\"", .cut = true}};
  Watch(widgets_);
  EXPECT_EQ(recorder_.items.size(), 1u);
  EXPECT_TRUE(recorder_.watch_done->ok()) << recorder_.watch_done->error();
}

TEST_F(ListWatchTest, UnknownEventTypesAndGarbageAreErrors_SD02) {
  for (const char* bad : {R"({"type":"RENAMED","object":{}})", "garbage", R"({"object":{}})"}) {
    server_.script = {{.body = bad, .hang = true}};
    Watch(widgets_);
    ASSERT_TRUE(recorder_.watch_done.has_value()) << bad;
    EXPECT_FALSE(recorder_.watch_done->ok()) << bad;
  }
}

TEST_F(ListWatchTest, AMalformedObjectInAWatchKeepsItsName) {
  server_.script = {
      Json(R"({"type":"ADDED","object":{"metadata":{"name":"bad","namespace":"default",)"
           R"("resourceVersion":5}}})"
           "\n"
           R"({"type":"ADDED","object":)" +
           Widget("a", 6) + "}\n")};
  Watch(widgets_);
  EXPECT_EQ(recorder_.unreadable, (std::vector<std::string>{"+default/bad@"}));
  EXPECT_NE(recorder_.why.find("resourceVersion"), std::string::npos) << recorder_.why;
  EXPECT_EQ(recorder_.items, (std::vector<std::string>{"+default/a@6"}));
  EXPECT_TRUE(recorder_.watch_done->ok());
}

TEST_F(ListWatchTest, AnObjectAboveTheLimitIsSkippedAndTheWatchGoesOn) {
  const auto watch = [&](const KindInfo& type, const std::string& namespace_) {
    recorder_ = Recorder();
    sim_.env().loop().Post([&] {
      source_ = NewListWatch(*client_, type, namespace_);
      EXPECT_TRUE(source_->SetEntryOptions({.max_object_bytes = 200}));
      call_ = source_->Watch({}, recorder_);
    });
    sim_.RunUntil([&] { return recorder_.watch_done.has_value(); }, seconds(60));
    Drop();
  };
  const auto large = [](const std::string& type, const std::string& name) {
    std::string widget = Widget(name, 7);
    widget.insert(widget.size() - 1, R"(,"x":")" + std::string(9000, 'x') + '"');
    return R"({"type":")" + type + R"(","object":)" + widget + "}\n";
  };
  const std::string small = R"({"type":"ADDED","object":)" + Widget("a", 8) + "}\n";
  server_.script = {
      Json(large("ADDED", "b") + large("MODIFIED", "b") + large("DELETED", "c") + small)};
  watch(widgets_, "default");
  EXPECT_TRUE(recorder_.watch_done->ok()) << recorder_.watch_done->error();
  EXPECT_EQ(recorder_.unreadable,
            (std::vector<std::string>{"+default/b@7", "~default/b@7", "-default/c@7"}));
  EXPECT_EQ(recorder_.items, (std::vector<std::string>{"+default/a@8"}));
  EXPECT_NE(recorder_.why.find("the limit is 200"), std::string::npos) << recorder_.why;
  // Events that advance or end the watch cannot be skipped.
  for (const char* type : {"BOOKMARK", "ERROR"}) {
    server_.script = {Json(large(type, "b") + small)};
    watch(widgets_, "default");
    ASSERT_FALSE(recorder_.watch_done->ok());
    EXPECT_EQ(recorder_.watch_done->error().reason(), Reason::kOverLimit) << type;
  }
  // Unreadable objects of other namespaces are not reported.
  server_.script = {Json(large("ADDED", "b") + small)};
  watch(widgets_, "other");
  EXPECT_TRUE(recorder_.watch_done->ok());
  EXPECT_TRUE(recorder_.unreadable.empty());
}

TEST_F(ListWatchTest, ARefusedWatchIsAnError) {
  server_.script = {StatusFailure(403, "Forbidden", "no")};
  Watch(widgets_);
  EXPECT_EQ(recorder_.started, 0);
  EXPECT_TRUE(IsForbidden(recorder_.watch_done->error()));
}

TEST_F(ListWatchTest, AtMostEightListsAtOnce) {
  server_.fallback = [](const HttpRequest&) { return ScriptedResponse{.body = "{", .hang = true}; };
  std::vector<std::unique_ptr<ListerWatcher>> sources;
  std::vector<std::unique_ptr<ListWatchCall>> calls;
  std::vector<Recorder> recorders(12);
  sim_.env().loop().Post([&] {
    for (Recorder& recorder : recorders) {
      sources.push_back(NewListWatch(*client_, widgets_, "default"));
      calls.push_back(sources.size() % 2 == 0
                          ? sources.back()->List({}, recorder)
                          : sources.back()->Watch({.sendInitialEvents = true}, recorder));
    }
  });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.requests.size(), 8u);
  sim_.env().loop().Post([&] { calls[0].reset(); });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.requests.size(), 9u);
  // Watch-lists whose end the server never marks release their place after a while.
  sim_.RunFor(seconds(60));
  EXPECT_EQ(server_.requests.size(), 12u);
  sim_.env().loop().Post([&] {
    calls.clear();
    sources.clear();
  });
  sim_.RunReady();
}

TEST_F(ListWatchTest, ARefusalOfWatchListsHoldsForTheResourceAndTheClientForAnHour_W34) {
  const KindInfo& gadgets = Gadget::kind_info();
  const Client other = Client::ForTransport(sim_.env(), transport_, {.qps = -1});
  std::vector<bool> unsupported;
  const auto ask = [&] {
    unsupported = {NewListWatch(*client_, widgets_, "")->IsWatchListSemanticsUnSupported(),
                   NewListWatch(*client_, widgets_, "a")->IsWatchListSemanticsUnSupported(),
                   NewListWatch(*client_, gadgets, "")->IsWatchListSemanticsUnSupported(),
                   NewListWatch(other, widgets_, "")->IsWatchListSemanticsUnSupported()};
  };
  sim_.env().loop().Post([&] {
    NewListWatch(*client_, widgets_, "default")->WatchListDeclined();
    ask();
  });
  sim_.RunReady();
  EXPECT_EQ(unsupported, (std::vector<bool>{true, true, false, false}));
  sim_.RunFor(std::chrono::hours(1) - Duration(1));
  sim_.env().loop().Post(ask);
  sim_.RunReady();
  EXPECT_EQ(unsupported, (std::vector<bool>{true, true, false, false}));
  sim_.RunFor(Duration(1));
  sim_.env().loop().Post(ask);
  sim_.RunReady();
  EXPECT_EQ(unsupported, std::vector<bool>(4, false));
}

TEST_F(ListWatchTest, AbandonedCallsSayNothing) {
  server_.script = {{.body = R"({"type":"ADDED","object":)", .hang = true}};
  sim_.env().loop().Post([&] {
    source_ = NewListWatch(*client_, widgets_, "default");
    call_ = source_->Watch({}, recorder_);
  });
  sim_.RunFor(seconds(1));
  EXPECT_EQ(recorder_.started, 1);
  Drop();
  transport_->Down();
  sim_.RunFor(seconds(100));
  EXPECT_FALSE(recorder_.watch_done);
}

// Records messages.
class MessageLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField>) override {
    messages.emplace_back(message);
  }
  std::vector<std::string> messages{};
};

TEST(ListWatchLog, IgnoredEvents_AreLoggedOnce) {
  const auto log = std::make_shared<MessageLog>();
  Simulation sim({.seed = 3, .log = log});
  ScriptedServer server;
  const Client client = Client::ForTransport(
      sim.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim.env(), server)), {.qps = -1});
  const auto event = [](std::string object, const std::string& from, const std::string& to) {
    object.replace(object.find(from), from.size(), to);
    return R"({"type":"ADDED","object":)" + object + "}\n";
  };
  const std::string other_kind = event(Widget("a", 1), "Widget", "Gadget");
  const std::string other_namespace = event(Widget("b", 2), "default", "another");
  for (const std::string& body : {other_kind + other_kind, other_namespace + other_namespace}) {
    log->messages.clear();
    server.script = {Json(body + event(Widget("c", 3), "c", "c"))};
    Recorder recorder;
    std::unique_ptr<ListerWatcher> source;
    std::unique_ptr<ListWatchCall> call;
    sim.env().loop().Post([&] {
      source = NewListWatch(
          client, *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true), "default");
      call = source->Watch({}, recorder);
    });
    EXPECT_TRUE(sim.RunUntil([&] { return recorder.watch_done.has_value(); }, seconds(10)));
    EXPECT_EQ(recorder.items, (std::vector<std::string>{"+default/c@3"}));
    ASSERT_EQ(log->messages.size(), 1U);
    EXPECT_NE(log->messages[0].find("; ignored"), std::string::npos) << log->messages[0];
    sim.env().loop().Post([&] {
      call.reset();
      source.reset();
    });
    sim.RunReady();
  }
}

// Metadata that is read for comparisons needs no managed fields.
TEST_F(ListWatchTest, AListOfMetadataHasNoManagedFields) {
  class Keeper final : public ListReceiver {
   public:
    void OnItem(AnyRef object) override { objects.push_back(std::move(object).object()); }
    void OnUnreadable(std::string_view, std::string_view, const Error&) override {}
    void OnDone(Result<ListMeta>) override {}
    std::vector<ObjectRef> objects{};
  } keeper;
  server_.script = {
      Json(R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[)"
           R"({"metadata":{"name":"a","managedFields":[{"manager":"me"}],"labels":{"x":"y"}}}]})")};
  sim_.env().loop().Post([&] {
    source_ = NewListWatch(*client_, widgets_, "default");
    call_ = source_->ListMetadata("", {}, keeper);
  });
  ASSERT_TRUE(sim_.RunUntil([&] { return !keeper.objects.empty(); }, seconds(60)));
  const metav1::ObjectMeta metadata = Object(keeper.objects[0].get()).metadata();
  EXPECT_EQ(metadata.labels()["x"], "y");
  EXPECT_TRUE(metadata.managedFields().empty());
  Drop();
}

TEST_F(ListWatchTest, ABadNamespaceIsRefusedWithoutARequest) {
  List(widgets_, {}, "a/b");
  EXPECT_EQ(recorder_.list_done->error().reason(), Reason::kInvalidArgument);
  EXPECT_TRUE(server_.requests.empty());
}

}  // namespace
}  // namespace kinformer::internal::client
