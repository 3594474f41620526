// A SnapshotFeed on the embedded server, in simulated time: feeds that end at any moment leave one
// version of the server.

#include "kinformer/sinks/snapshot_feed.h"

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/api_server.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

const GroupVersionResource kMaps{"", "v1", "configmaps"};

// Keeps the JSON of each object, and outlives feeds.
class Mirror final : public SnapshotSink {
 public:
  Result<std::string> Open(const ExportedResource&) override { return version; }
  Result<std::optional<std::vector<HeldObject>>> Objects(const ExportedResource&) override {
    ++differences;
    std::vector<HeldObject> held;
    for (const auto& [name, object] : objects) {
      const json::Value& metadata = object["metadata"];
      held.push_back(
          {.name = {"default", name},
           .uid = std::string(metadata["uid"].AsString().value_or("")),
           .resourceVersion = std::string(metadata["resourceVersion"].AsString().value_or(""))});
    }
    return std::optional(std::move(held));
  }
  Result<void> Commit(const SinkBatch& batch) override {
    EXPECT_EQ(batch.from, version);
    if (batch.complete) objects.clear();
    for (const SinkChange& change : batch.changes) {
      if (change.removes()) {
        objects.erase(std::string(change.name()));
      } else {
        objects[std::string(change.name())] = json::Parse(change.object()->ToJson()).OrExit();
      }
    }
    version = batch.to;
    return {};
  }

  std::string version{};
  std::map<std::string, json::Value> objects{};
  int differences = 0;
};

class SnapshotFeedOnServer : public ::testing::TestWithParam<unsigned> {
 protected:
  SnapshotFeedOnServer()
      : sim_({.seed = GetParam()}),
        server_(sim_, {.history_events = 30}),
        client_(Client::ForTransport(server_.env(), server_.transport())) {}

  // Creates, changes or deletes one of twenty objects.
  void ChangeOne() {
    const std::string name = "m" + std::to_string(draw_() % 20);
    json::Value object = json::Value::MakeObject(
        {{"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "default"}})},
         {"data", json::Value::MakeObject({{"n", std::to_string(draw_())}})}});
    if (!server_.Get(kMaps, {"default", name})) {
      server_.Create(kMaps, std::move(object)).OrExit();
    } else if (draw_() % 3 == 0) {
      server_.Delete(kMaps, {"default", name}).OrExit();
    } else {
      server_.Update(kMaps, std::move(object)).OrExit();
    }
  }

  // Feeds the mirror while objects change, for some random time.
  void FeedForAWhile() {
    SnapshotFeed feed(sim_.env(), mirror_, {.commit_interval = milliseconds(draw_() % 50)});
    feed.Add({.name = "configmaps"}, NewListWatch(client_, kMaps, "default"));
    std::stop_source stop;
    const auto thread = sim_.env().NewThread(
        "feed", [&] { EXPECT_TRUE(feed.Run(stop.get_token())) << "seed " << GetParam(); });
    for (auto i = draw_() % 20; i > 0; --i) {
      ChangeOne();
      sim_.RunFor(milliseconds(draw_() % 20));
    }
    // After an expired version the list comes after a pause.
    sim_.RunFor(milliseconds(draw_() % 4000));
    stop.request_stop();
    sim_.RunReady();
    thread->Join();
  }

  // Returns nothing if the server has forgotten that version.
  std::optional<std::map<std::string, json::Value>> ObjectsAt(const std::string& version) {
    Result<std::string> text = Error(Reason::kUnknown, "no answer");
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          text = client_.GetRaw(
              "/api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact&resourceVersion=" +
              version);
        },
        minutes(1)));
    if (!text && text.error().http_status() == 410) return std::nullopt;
    EXPECT_TRUE(text) << text.error();
    const json::Value list = json::Parse(*text).OrExit();
    std::map<std::string, json::Value> objects;
    for (json::Value item : list["items"].items()) {
      item.Set("kind", "ConfigMap");
      item.Set("apiVersion", "v1");
      objects[item["metadata"]["name"].StringOrEmpty()] = std::move(item);
    }
    return objects;
  }

  std::mt19937 draw_{GetParam()};
  Simulation sim_;
  testing::ApiServer server_;
  Client client_;
  const std::shared_ptr<Mirror> mirror_ = std::make_shared<Mirror>();
};

TEST_P(SnapshotFeedOnServer, EndedAtAnyMoment_MirrorIsOneVersion) {
  int compared = 0;
  for (int round = 0; round < 30; ++round) {
    FeedForAWhile();
    if (mirror_->version.empty()) continue;
    const auto wanted = ObjectsAt(mirror_->version);
    if (!wanted) continue;
    ++compared;
    ASSERT_EQ(mirror_->objects, *wanted)
        << "seed " << GetParam() << ", round " << round << ", version " << mirror_->version;
    // Now and then more changes than the server's history keeps.
    for (auto i = round % 6 == 5 ? 60U : draw_() % 10; i > 0; --i) ChangeOne();
  }
  EXPECT_GT(compared, 15);
  EXPECT_GT(mirror_->differences, 0) << "no version has expired";
  EXPECT_LE(mirror_->differences, 12) << "versions that the server has were listed";
}

INSTANTIATE_TEST_SUITE_P(Seeds, SnapshotFeedOnServer, ::testing::Range(1U, 11U));

}  // namespace
}  // namespace kinformer
