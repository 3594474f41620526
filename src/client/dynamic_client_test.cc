#include "kinformer/client/dynamic_client.h"

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/client/lister_watcher.h"

#include "client/testing/config_map_client.h"
#include "client/testing/fake_lister_watcher.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using testing::Json;
using testing::StatusFailure;

RestMapping Mapping(const std::string& group, bool namespaced) {
  RestMapping mapping;
  mapping.resource = {group, "v1", "things"};
  mapping.kind = {group, "v1", "Thing"};
  mapping.namespaced = namespaced;
  return mapping;
}

std::string Thing(const std::string& group, const std::string& name) {
  return R"({"apiVersion":")" + group + (group.empty() ? "" : "/") +
         R"(v1","kind":"Thing","metadata":{"name":")" + name +
         R"(","resourceVersion":"5","labels":{"a":"b"}},"spec":{"size":3}})";
}

class DynamicClientTest : public testing::ClientTest {
 protected:
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }
};

// A verb on a resource, with what goes over the wire.
struct Request {
  const char* name;
  std::function<Result<void>(const DynamicResourceClient& things, const json::Value& thing)> send;
  std::string method;
  std::string path;  // behind the collection's
  std::string content_type{};
  std::string body{};
};

template <class T>
Result<void> Done(const Result<T>& result) {
  return result ? Result<void>() : Result<void>(result.error());
}

std::vector<Request> Requests() {
  using Things = DynamicResourceClient;
  using Object = json::Value;
  return {
      {"DY-01 get", [](const Things& c, const Object&) { return Done(c.Get("x")); }, "GET", "/x"},
      {"DY-01 list", [](const Things& c, const Object&) { return Done(c.List()); }, "GET", ""},
      {"DY-01 create", [](const Things& c, const Object& o) { return Done(c.Create(o)); }, "POST",
       "", "application/json", "object"},
      {"DY-01 update", [](const Things& c, const Object& o) { return Done(c.Update(o)); }, "PUT",
       "/x", "application/json", "object"},
      {"DY-01 update of the status",
       [](const Things& c, const Object& o) { return Done(c.UpdateStatus(o)); }, "PUT", "/x/status",
       "application/json", "object"},
      {"DY-01 patch",
       [](const Things& c, const Object&) {
         return Done(c.Patch("x", {PatchType::kMergePatch, "{}"}));
       },
       "PATCH", "/x", "application/merge-patch+json", "{}"},
      {"DY-01 patch of a subresource",
       [](const Things& c, const Object&) {
         return Done(c.Patch("x", {PatchType::kJsonPatch, "[]"}, {}, "scale"));
       },
       "PATCH", "/x/scale", "application/json-patch+json", "[]"},
      {"DY-01 delete", [](const Things& c, const Object&) { return c.Delete("x"); }, "DELETE",
       "/x"},
      {"DY-01 delete of a collection",
       [](const Things& c, const Object&) { return c.DeleteCollection(); }, "DELETE", ""},
  };
}

TEST_F(DynamicClientTest, RequestsOfTheDynamicClient_AreAsOnTheWireOfClientGo_DY01) {
  for (const std::string group : {"", "example.com"}) {
    for (const std::string ns : {"", "shop"}) {
      const std::string base = (group.empty() ? "/api/v1" : "/apis/example.com/v1") +
                               (ns.empty() ? std::string() : "/namespaces/" + ns) + "/things";
      for (const Request& request : Requests()) {
        SCOPED_TRACE(request.name + std::string(" ") + base);
        server_.requests.clear();
        server_.fallback = [&](const HttpRequest& got) {
          return got.method == "GET" && got.target.substr(0, got.target.find('?')) == base
                     ? Json(R"({"apiVersion":"v1","kind":"ThingList","metadata":{},"items":[]})")
                     : Json(Thing(group, "x"));
        };
        Block([&] {
          json::Value thing = json::Parse(Thing(group, "x")).OrExit();
          if (!ns.empty()) thing.Ensure("metadata", "namespace") = ns;
          const DynamicResourceClient things = client_->Dynamic(Mapping(group, !ns.empty()), ns);
          const Result<void> done = request.send(things, thing);
          EXPECT_TRUE(done) << done.error();
        });
        ASSERT_EQ(server_.requests.size(), 1U);
        const HttpRequest& sent = server_.requests[0];
        EXPECT_EQ(sent.method, request.method);
        EXPECT_EQ(sent.target.substr(0, sent.target.find('?')), base + request.path);
        EXPECT_EQ(sent.headers.Get("Accept"), "application/json");
        if (request.content_type.empty()) continue;
        EXPECT_EQ(sent.headers.Get("Content-Type"), request.content_type);
        if (request.body == "object") {
          EXPECT_NE(sent.body.find(R"("kind":"Thing")"), std::string::npos) << sent.body;
          EXPECT_NE(sent.body.find(R"("size":3)"), std::string::npos) << sent.body;
        } else {
          EXPECT_EQ(sent.body, request.body);
        }
      }
    }
  }
}

TEST_F(DynamicClientTest, BadNamesAndNamespaces_AreErrorsBeforeAnyRequest_DY02) {
  Block([&] {
    const auto reason = [&](const std::string& ns, const std::string& name) {
      const auto got = client_->Dynamic(Mapping("example.com", true), ns).Get(name);
      return got ? Reason::kUnknown : got.error().reason();
    };
    for (const char* name : {"", ".", "..", "a/b", "a%b"}) {
      EXPECT_EQ(reason("shop", name), Reason::kInvalidArgument) << name;
    }
    for (const char* ns : {".", "..", "a/b", "a%2fb"}) {
      EXPECT_EQ(reason(ns, "x"), Reason::kInvalidArgument) << ns;
    }
    json::Value unnamed = json::Parse(Thing("example.com", "x")).OrExit();
    unnamed.Ensure("metadata", "name") = "";
    const auto things = client_->Dynamic(Mapping("example.com", true), "shop");
    EXPECT_EQ(things.Update(unnamed).error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(things.Delete("").error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(things.Patch("", {PatchType::kMergePatch, "{}"}).error().reason(),
              Reason::kInvalidArgument);
  });
  EXPECT_TRUE(server_.requests.empty());
}

TEST_F(DynamicClientTest, AWatchOfTheDynamicClient_HasEventsWithUnstructuredObjects_DY03) {
  const auto line = [](const std::string& type, const std::string& name) {
    json::Value thing = json::Parse(Thing("example.com", name)).OrExit();
    thing.Ensure("metadata", "namespace") = "shop";
    return R"({"type":")" + type + R"(","object":)" + thing.Dump() + "}\n";
  };
  server_.script = {Json(line("ADDED", "a") + line("MODIFIED", "b") + line("DELETED", "c"))};
  std::vector<std::string> seen;
  Block([&] {
    const auto done =
        client_->Dynamic(Mapping("example.com", true), "shop")
            .Watch({.resourceVersion = "4"}, [&](const ResourceWatchEvent<Unstructured>& event) {
              const Ref<Unstructured> object = event.object;
              seen.push_back(std::to_string(static_cast<int>(event.type)) +
                             std::string(object->metadata().name()) +
                             std::to_string(object->root()["spec"]["size"].AsInt64().value_or(0)));
              return true;
            });
    EXPECT_TRUE(done) << done.error();
  });
  const auto expected = [](WatchEventType type, const std::string& rest) {
    return std::to_string(static_cast<int>(type)) + rest;
  };
  EXPECT_EQ(seen, (std::vector<std::string>{expected(WatchEventType::kAdded, "a3"),
                                            expected(WatchEventType::kModified, "b3"),
                                            expected(WatchEventType::kDeleted, "c3")}));
  ASSERT_EQ(server_.requests.size(), 1U);
  EXPECT_NE(server_.requests[0].target.find("watch=true"), std::string::npos);
}

constexpr char kPartial[] = R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata",)"
                            R"("metadata":{"name":"x","namespace":"shop"}})";

TEST_F(DynamicClientTest, TheMetadataClient_AsksForMetadataTypes_DY04) {
  server_.fallback = [](const HttpRequest& request) {
    if (request.target.find("watch=true") != std::string::npos) {
      return Json(R"({"type":"ADDED","object":)" + std::string(kPartial) + "}\n");
    }
    if (request.target.ends_with("/x")) return Json(kPartial);
    return Json(
        R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList","metadata":{},)"
        R"("items":[)" +
        std::string(kPartial) + "]}");
  };
  Block([&] {
    const MetadataResourceClient things = client_->Metadata(Mapping("example.com", true), "shop");
    const Ref<metav1::PartialObjectMetadata> got = things.Get("x").OrExit();
    EXPECT_EQ(got->metadata().name(), "x");
    EXPECT_EQ(things.List().OrExit().size(), 1U);
    int events = 0;
    EXPECT_TRUE(things.Watch({}, [&](const ResourceWatchEvent<metav1::PartialObjectMetadata>& e) {
      events += e.object->metadata().name() == "x" ? 1 : 0;
      return true;
    }));
    EXPECT_EQ(events, 1);
    EXPECT_TRUE(things.Patch("x", {PatchType::kMergePatch, "{}"}));
    EXPECT_TRUE(things.Delete("x"));
  });
  ASSERT_EQ(server_.requests.size(), 5U);
  const auto accept = [&](std::size_t i) { return server_.requests[i].headers.Get("Accept"); };
  for (const std::size_t i : {0U, 3U}) {
    EXPECT_NE(accept(i).find("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
              std::string::npos)
        << i << " " << accept(i);
  }
  EXPECT_NE(accept(1).find(";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"), std::string::npos);
  EXPECT_NE(accept(2).find(";as=PartialObjectMetadata"), std::string::npos);
  EXPECT_EQ(server_.requests[3].headers.Get("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(server_.requests[4].method, "DELETE");
}

TEST_F(DynamicClientTest, AServerThatIgnoresTheWishForMetadata_IsReadAndReduced_DY04) {
  server_.script = {Json(Thing("example.com", "x"))};
  Block([&] {
    const Ref<metav1::PartialObjectMetadata> thing =
        client_->Metadata(Mapping("example.com", true), "shop").Get("x").OrExit();
    EXPECT_EQ(thing->metadata().labels()["a"], "b");
    EXPECT_EQ(thing->ToJson().find("size"), std::string::npos) << thing->ToJson();
  });
}

TEST_F(DynamicClientTest, MetadataOfAnotherKind_IsAnError_DY04) {
  server_.script = {Json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}})")};
  Block([&] {
    const auto got = client_->Metadata(Mapping("example.com", true), "shop").Get("x");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().reason(), Reason::kDecode);
  });
}

TEST_F(DynamicClientTest, ARealClientSupportsWatchLists_AndAFakeSaysWhatItIsTold_DY05) {
  const auto source = NewListWatch(*client_, GroupVersionResource{"example.com", "v1", "things"});
  EXPECT_FALSE(source->IsWatchListSemanticsUnSupported());
  internal::client::FakeServer fake(sim_.env());
  fake.watch_list_unsupported = true;
  EXPECT_TRUE(fake.NewListerWatcher()->IsWatchListSemanticsUnSupported());
  fake.watch_list_unsupported = false;
  EXPECT_FALSE(fake.NewListerWatcher()->IsWatchListSemanticsUnSupported());
}

}  // namespace
}  // namespace kinformer
