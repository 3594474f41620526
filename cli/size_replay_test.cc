// Copies of sampled objects, as informers receive them.

#include "cli/size_replay.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/kind_info.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_from_json.h"

namespace kinformer::cli {
namespace {

internal::ObjectRef ObjectOf(const KindInfo& type, const std::string& json) {
  const AnyRef object = ObjectFromJson(type, json).OrExit();
  return internal::ObjectRef::Share(object->block());
}

using std::chrono::minutes;

const KindInfo& Widgets() {
  return *internal::DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
}

std::string JsonOf(const std::string& kind, const std::string& api_version, const std::string& name,
                   std::size_t text) {
  return R"({"kind":")" + kind + R"(","apiVersion":")" + api_version + R"(","metadata":{"name":")" +
         name + R"(","namespace":"team-1","uid":)" +
         R"("7c9e6679-7425-40de-944b-e07fc1f90ae7","resourceVersion":"17",)" +
         R"("labels":{"name":")" + name + R"("},"annotations":{"text":")" + std::string(text, 't') +
         R"("}}})";
}

SizeSample SampleOf(const KindInfo& type, std::uint64_t objects) {
  SizeSample sample;
  sample.objects = objects;
  for (const auto& [name, text] : {std::pair("web-0001", 1000), {"a", 200}}) {
    sample.sampled.push_back({ObjectOf(type, JsonOf(std::string(type.kind), type.apiVersion(), name,
                                                    static_cast<std::size_t>(text))),
                              static_cast<double>(objects) / 2});
  }
  for (int i = 0; i < 7; ++i) sample.namespaces["team-" + std::to_string(i)] = objects / 7;
  return sample;
}

struct Row {
  const char* what;
  bool widgets;
  bool json;
  bool list;
  bool metadata;
};

class Replayed : public ::testing::TestWithParam<Row> {};

TEST_P(Replayed, Informer_HasAsManyObjectsOfTheSameSize) {
  const Row& row = GetParam();
  const KindInfo& type = row.widgets ? Widgets() : corev1::ConfigMap::kind_info();
  const SizeSample sample = SampleOf(type, 1000);
  Simulation sim;
  SizeReplay replay(type, sample);
  replay.SetObjects(1000);
  const Client client = Client::ForTransport(sim.env(), NewInMemoryTransport(sim.env(), replay),
                                             {.qps = -1, .prefer_json = row.json});
  const KindInfo& listed = row.metadata
                               ? *internal::MetadataKindInfo(type.group, type.version, type.kind,
                                                             type.resource, type.namespaced)
                               : type;
  InformerOptions<Object> options;
  options.initial_list = row.list ? InitialList::kList : InitialList::kWatchList;
  SharedInformer<Object> informer(sim.env(), internal::NewListWatch(client, listed, "", {}),
                                  options);
  informer.Start();
  ASSERT_TRUE(sim.RunUntil([&] { return informer.HasSynced(); }, minutes(1)));
  EXPECT_EQ(informer.Stats().watch_lists, row.list ? 0U : 1U);
  std::set<std::string> namespaces;
  std::size_t large = 0;
  const auto snapshot = informer.Snapshot();
  EXPECT_EQ(snapshot.size(), 1000U);
  for (const Object object : snapshot) {
    namespaces.insert(std::string(object.block()->namespace_()));
    if (object.ToJson().size() > 1000) ++large;
  }
  EXPECT_EQ(namespaces.size(), 7U);
  EXPECT_NEAR(static_cast<double>(large), 500, 2);
  informer.Stop();
  sim.RunReady();
}

INSTANTIATE_TEST_SUITE_P(Forms, Replayed,
                         ::testing::Values(Row{"protobuf", false, false, false, false},
                                           Row{"protobuf_list", false, false, true, false},
                                           Row{"json", false, true, false, false},
                                           Row{"json_list", false, true, true, false},
                                           Row{"widgets", true, false, false, false},
                                           Row{"widgets_list", true, false, true, false},
                                           Row{"metadata", false, false, false, true},
                                           Row{"metadata_of_widgets_list", true, false, true,
                                               true}),
                         [](const auto& test) { return std::string(test.param.what); });

TEST(SizeReplayTest, ObjectsOfASample_AreServedByTheirWeight) {
  SizeSample sample = SampleOf(corev1::ConfigMap::kind_info(), 1000);
  sample.sampled[0].weight = 900;
  sample.sampled[1].weight = 100;
  const SizeReplay replay(corev1::ConfigMap::kind_info(), sample);
  const auto size = [&](std::size_t i) {
    return static_cast<double>(sample.sampled[i].object->payload().size());
  };
  EXPECT_NEAR(replay.MeanBytes(), 0.9 * size(0) + 0.1 * size(1), 10);
}

TEST(SizeReplayTest, RareObjects_AreServedAsOftenAsTheyAre) {
  SizeSample sample = SampleOf(corev1::ConfigMap::kind_info(), 2008);
  sample.sampled[0].weight = 8;
  sample.sampled[1].weight = 2000;
  sample.namespaces = {{"team-1", 2008}};
  Simulation sim;
  SizeReplay replay(corev1::ConfigMap::kind_info(), sample);
  const Client client =
      Client::ForTransport(sim.env(), NewInMemoryTransport(sim.env(), replay), {.qps = -1});
  for (const std::uint64_t objects : {2008U, 1004U, 251U, 1U}) {
    replay.SetObjects(objects);
    std::uint64_t rare = 0;
    ASSERT_TRUE(sim.RunBlocking(
        [&] {
          const internal::ResourceCore maps(client.core(), corev1::ConfigMap::kind_info(), "");
          const auto listed = maps.List({}, {}).OrExit();
          EXPECT_EQ(listed.items.size(), objects);
          EXPECT_TRUE(
              std::is_sorted(listed.items.begin(), listed.items.end(),
                             [](const auto& a, const auto& b) { return a->name() < b->name(); }));
          for (const auto& object : listed.items) {
            rare += object->payload().size() > 1000 ? 1 : 0;
            EXPECT_EQ(object->namespace_(), "team-1");
          }
        },
        minutes(1)));
    EXPECT_EQ(rare, objects * 8 / 2008);
  }
}

TEST(ReplayedObjectTest, Number_StandsInNameAndUidAndKeepsTheSize) {
  const internal::ObjectRef object =
      ObjectOf(Widgets(), JsonOf("Widget", "example.com/v1", "web-000001", 10));
  ReplayedObject replayed(*object, ObjectForm::kJson);
  const std::size_t size = replayed.size();
  EXPECT_THAT(replayed.At(37, "000003"), ::testing::HasSubstr(R"("name":"0000110001")"));
  EXPECT_THAT(replayed.At(37, "000003"), ::testing::HasSubstr("40de-944b-e07fc1000011"));
  EXPECT_THAT(replayed.At(37, "000003"), ::testing::HasSubstr(R"("namespace":"000003")"));
  EXPECT_THAT(replayed.At(1, replayed.own_namespace()),
              ::testing::HasSubstr(R"("name":"0000010001","namespace":"team-1")"));
  EXPECT_EQ(replayed.At(37, "000003").size(), size);
}

}  // namespace
}  // namespace kinformer::cli
