// One object above the size limit: it is reported as unreadable, and the others are as usual.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};

void Put(apiserver::ApiServer& server, const std::string& name, std::size_t bytes) {
  json::Value object = json::Value::MakeObject(
      {{"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "default"}})},
       {"data", json::Value::MakeObject({{"value", std::string(bytes, 'x')}})}});
  const bool exists = server.Get(kConfigMaps, {"default", name}).ok();
  (exists ? server.Update(kConfigMaps, std::move(object))
          : server.Create(kConfigMaps, std::move(object)))
      .OrExit();
}

void SyncsTheOthers(bool json, InitialList initial) {
  Simulation sim({.seed = 1});
  apiserver::ApiServer server(sim.env());
  for (const char* name : {"a", "b", "c"}) Put(server, name, 10);
  Put(server, "large", 20'000);
  const std::shared_ptr<InMemoryTransport> transport =
      NewInMemoryTransport(sim.env(), server, {.max_chunk_bytes = 3000});
  const Client client =
      Client::ForTransport(sim.env(), transport, {.qps = -1, .prefer_json = json});
  SharedInformer<corev1::ConfigMap> informer(sim.env(),
                                             NewListWatch<corev1::ConfigMap>(client, "default"),
                                             {.initial_list = initial, .max_object_bytes = 8000});
  informer.Start();
  ASSERT_TRUE(sim.RunUntil([&] { return informer.HasSynced(); }, minutes(2)))
      << informer.Status().ErrorText();
  const auto maps = informer.lister().Namespace("default");
  const auto others = [&](std::size_t count) {
    return informer.Snapshot().size() == count &&
           maps.Get("large").error().reason() == Reason::kUnreadable;
  };
  EXPECT_TRUE(others(3));
  EXPECT_EQ(informer.Stats().unreadable, 1U);
  EXPECT_EQ(maps.List().error().reason(), Reason::kUnreadable);
  // Both the large object and others change.
  Put(server, "large", 30'000);
  Put(server, "d", 10);
  EXPECT_TRUE(sim.RunUntil([&] { return others(4); }, minutes(2))) << informer.Status().ErrorText();
  Put(server, "large", 10);
  EXPECT_TRUE(sim.RunUntil([&] { return maps.Get("large").ok(); }, minutes(2)));
  EXPECT_TRUE(maps.List().ok());
  EXPECT_EQ(informer.Snapshot().size(), 5U);
  informer.Stop();
  sim.RunReady();
}

// The watch continues after objects far above the limit: no list and no new watch.
void TheWatchGoesOn(bool json) {
  Simulation sim({.seed = 1});
  apiserver::ApiServer server(sim.env());
  Put(server, "a", 10);
  Put(server, "large", 10);
  const std::shared_ptr<InMemoryTransport> transport =
      NewInMemoryTransport(sim.env(), server, {.max_chunk_bytes = 3000});
  const Client client =
      Client::ForTransport(sim.env(), transport, {.qps = -1, .prefer_json = json});
  SharedInformer<corev1::ConfigMap> informer(
      sim.env(), NewListWatch<corev1::ConfigMap>(client, "default"), {.max_object_bytes = 8000});
  informer.Start();
  ASSERT_TRUE(sim.RunUntil([&] { return informer.HasSynced(); }, minutes(2)));
  const InformerStats before = informer.Stats();
  const auto maps = informer.lister().Namespace("default");
  const auto becomes = [&](Reason reason, const std::string& name) {
    return sim.RunUntil(
        [&] {
          const auto found = maps.Get(name);
          return !found.ok() && found.error().reason() == reason;
        },
        minutes(2));
  };
  const auto is_there = [&](const std::string& name) {
    return sim.RunUntil([&] { return maps.Get(name).ok(); }, minutes(2));
  };
  Put(server, "large", 100'000);
  EXPECT_TRUE(becomes(Reason::kUnreadable, "large"));
  for (std::size_t i = 0; i < 5; ++i) Put(server, "large", 100'000 + i);
  Put(server, "new", 200'000);
  EXPECT_TRUE(becomes(Reason::kUnreadable, "new"));
  EXPECT_EQ(informer.Stats().unreadable, 2U);
  server.Delete(kConfigMaps, {"default", "new"}).OrExit();
  EXPECT_TRUE(becomes(Reason::kNotFound, "new"));
  Put(server, "large", 20);
  EXPECT_TRUE(is_there("large"));
  Put(server, "b", 10);
  EXPECT_TRUE(is_there("b"));
  const InformerStats after = informer.Stats();
  EXPECT_EQ(after.AllLists(), before.AllLists());
  EXPECT_EQ(after.watches, before.watches);
  EXPECT_EQ(after.unreadable, 0U);
  informer.Stop();
  sim.RunReady();
}

TEST(LargeObject, TheWatchGoesOnOverIt) {
  for (const bool json : {true, false}) {
    SCOPED_TRACE(json ? "json" : "protobuf");
    TheWatchGoesOn(json);
  }
}

TEST(LargeObject, IsNamedAndUnreadableAndTheRestSyncs_Row63) {
  for (const bool json : {true, false}) {
    for (const InitialList initial : {InitialList::kList, InitialList::kWatchList}) {
      SCOPED_TRACE(std::string(json ? "json" : "protobuf") +
                   (initial == InitialList::kList ? ", list" : ", watch-list"));
      SyncsTheOthers(json, initial);
    }
  }
}

}  // namespace
}  // namespace kinformer::testing
