// Any writes, with readers of any speed: a list, updated by the events of its watch, equals the
// server's state.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

// Lists and watches one scope as an informer does, and reads a few bytes at irregular times.
class Replica {
 public:
  Replica(TestServer& server, std::string path, std::string selector)
      : server_(server), path_(std::move(path)), selector_(std::move(selector)) {
    Relist();
  }

  void Read(std::size_t max_bytes) {
    for (int i = 0; i < 3 && stream_ != nullptr; ++i) {
      std::vector<BodyChunk> chunks;
      const auto state = stream_->Read(max_bytes, chunks);
      for (const BodyChunk& chunk : chunks) buffer_ += chunk.bytes;
      bool expired = false;
      for (std::size_t end = buffer_.find('\n'); end != std::string::npos;
           end = buffer_.find('\n')) {
        expired = !Apply(json::Parse(std::string_view(buffer_).substr(0, end)).value()) || expired;
        buffer_.erase(0, end + 1);
      }
      if (expired) {
        Relist();
      } else if (state == ResponseStream::State::kEnd) {
        EXPECT_EQ(buffer_, "") << "a clean end is between frames";
        Watch();
      } else if (state == ResponseStream::State::kAbort) {
        buffer_.clear();
        Watch();
      } else if (state == ResponseStream::State::kWait) {
        return;
      }
    }
  }

  [[nodiscard]] const std::map<std::string, std::string>& objects() const { return objects_; }
  [[nodiscard]] int relists() const { return relists_; }

 private:
  static std::string KeyOf(const json::Value& object) {
    return object.At("/metadata/namespace").StringOrEmpty() + "/" +
           object.At("/metadata/name").StringOrEmpty();
  }

  void Relist() {
    ++relists_;
    objects_.clear();
    buffer_.clear();
    std::string continue_;
    do {
      const json::Value page =
          server_.Get(path_ + "?limit=7&labelSelector=" + selector_ + "&continue=" + continue_)
              .Json();
      for (const json::Value& item : page["items"].items()) {
        const std::string version = item.At("/metadata/resourceVersion").StringOrEmpty();
        EXPECT_TRUE(objects_.emplace(KeyOf(item), version).second)
            << "listed twice: " << KeyOf(item);
      }
      continue_ = page.At("/metadata/continue").StringOrEmpty();
      version_ = std::stol(page.At("/metadata/resourceVersion").StringOrEmpty());
    } while (!continue_.empty());
    Watch();
  }

  void Watch() {
    stream_ = server_.server().Handle(
        {.target = path_ + "?watch=1&allowWatchBookmarks=1&timeoutSeconds=90&labelSelector=" +
                   selector_ + "&resourceVersion=" + std::to_string(version_)});
    stream_->SetWake([] {});
  }

  // Returns false if the version is too old.
  bool Apply(const json::Value& frame) {
    const std::string& type = frame["type"].StringOrEmpty();
    const json::Value& object = frame["object"];
    if (type == "ERROR") {
      EXPECT_EQ(object["code"].AsInt64(), 410);
      return false;
    }
    const std::int64_t version = std::stol(object.At("/metadata/resourceVersion").StringOrEmpty());
    if (type == "BOOKMARK") {
      EXPECT_GE(version, version_);
      version_ = version;
      return true;
    }
    EXPECT_GT(version, version_) << "order";
    version_ = version;
    const std::string key = KeyOf(object);
    if (type == "ADDED") {
      EXPECT_TRUE(objects_.emplace(key, std::to_string(version)).second) << "added twice: " << key;
    } else if (type == "MODIFIED") {
      EXPECT_TRUE(objects_.contains(key)) << "modified before it was added: " << key;
      objects_[key] = std::to_string(version);
    } else {
      EXPECT_EQ(objects_.erase(key), 1U) << "deleted before it was added: " << key;
    }
    return true;
  }

  TestServer& server_;
  std::string path_;
  std::string selector_;
  std::unique_ptr<ResponseStream> stream_;
  std::string buffer_;
  std::map<std::string, std::string> objects_;
  std::int64_t version_ = 0;
  int relists_ = 0;
};

class ConsistencyTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ConsistencyTest, WatchEventsApplied_EqualTheServersState) {
  TestServer server({.history_events = 150}, GetParam());
  Env& env = server.sim().env();
  const auto draw = [&](std::uint64_t bound) { return env.Random() % bound; };
  const std::vector<std::string> namespaces = {"default", "kube-system", "kube-public"};
  if (draw(2) == 0) {
    server.server().faults().Add({.verb = "watch",
                                  .action = FaultAction::kCutBody,
                                  .probability = 0.3,
                                  .after_bytes = static_cast<std::size_t>(draw(2000))});
  }

  std::vector<std::unique_ptr<Replica>> replicas;
  for (int i = 0; i < 6; ++i) {
    const std::string path = i % 3 == 0
                                 ? "/api/v1/configmaps"
                                 : "/api/v1/namespaces/" + namespaces[draw(3)] + "/configmaps";
    replicas.push_back(std::make_unique<Replica>(server, path, i % 2 == 0 ? "" : "on%3Dyes"));
  }
  const auto flip = [&] { return draw(2) == 0 ? "yes" : "no"; };
  for (int step = 0; step < 1200; ++step) {
    const ObjectName name{.namespace_ = namespaces[draw(3)],
                          .name = "m" + std::to_string(draw(12))};
    const std::uint64_t what = draw(10);
    if (what < 3) {
      json::Value object;
      object.Ensure("metadata").Set("namespace", name.namespace_);
      object.Ensure("metadata").Set("name", name.name);
      object.Ensure("metadata", "labels").Set("on", flip());
      (void)server.server().Create(kConfigMaps, std::move(object)).ok();
    } else if (what < 6) {
      json::Value patch;
      patch.Ensure("data").Set("step", std::to_string(step));
      if (draw(3) == 0) patch.Ensure("metadata", "labels").Set("on", flip());
      (void)server.server().Patch(kConfigMaps, name, patch).ok();
    } else if (what < 8) {
      (void)server.server().Delete(kConfigMaps, name).ok();
    } else if (what < 9) {
      replicas[draw(replicas.size())]->Read(1 + draw(4000));
    } else {
      server.sim().RunFor(std::chrono::milliseconds(draw(3000)));
    }
    if (draw(400) == 0)
      server.server().Compact(server.server().current_resource_version() -
                              static_cast<std::int64_t>(draw(50)));
    if (draw(400) == 0) server.server().CloseWatches();
  }
  server.server().faults().Clear();
  int relists = 0;
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    for (int round = 0; round < 1000; ++round) replicas[i]->Read(4096);
    relists += replicas[i]->relists();
  }
  // Compares each replica with a list of its own scope.
  std::map<std::string, std::string> everything = server.server().DumpState(kConfigMaps);
  EXPECT_EQ(replicas[0]->objects(), everything);
  const json::Value selected = server.Get("/api/v1/configmaps?labelSelector=on%3Dyes").Json();
  std::map<std::string, std::string> on;
  for (const json::Value& item : selected["items"].items()) {
    on.emplace(item.At("/metadata/namespace").StringOrEmpty() + "/" +
                   item.At("/metadata/name").StringOrEmpty(),
               item.At("/metadata/resourceVersion").StringOrEmpty());
  }
  EXPECT_EQ(replicas[3]->objects(), on);
  EXPECT_GT(relists, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConsistencyTest, ::testing::Range<std::uint64_t>(1, 11));

TEST(ApiServerOverTransport, ListAndWatchThroughMemory) {
  TestServer server;
  InMemoryTransportOptions options{.max_chunk_bytes = 50, .random_chunks = true};
  const auto transport = NewInMemoryTransport(server.sim().env(), server.server(), options);
  struct Receiver : ResponseReceiver {
    void OnHeaders(int code, const HttpHeaders&) override { status = code; }
    void OnData(std::string_view data) override { body += data; }
    void OnDone(Result<void> result) override {
      done = true;
      ok = result.ok();
    }
    int status = 0;
    std::string body;
    bool done = false;
    bool ok = false;
  };
  Receiver list;
  Receiver watch;
  Receiver future;
  const auto list_call = transport->Start({.target = "/api/v1/namespaces"}, list);
  const auto watch_call = transport->Start({.target = "/api/v1/configmaps?watch=1"}, watch);
  const auto future_call = transport->Start({.target = "/api/v1/pods?resourceVersion=999"}, future);
  server.sim().RunReady();
  EXPECT_TRUE(list.done && list.ok);
  EXPECT_EQ(json::Parse(list.body).value()["items"].size(), 4U);
  EXPECT_EQ(watch.status, 200);
  EXPECT_EQ(future.status, 0) << "it waits for the resourceVersion";
  server.MakeConfigMap("default", "a");
  server.sim().RunFor(std::chrono::seconds(4));
  EXPECT_THAT(watch.body, ::testing::HasSubstr("ADDED"));
  EXPECT_FALSE(watch.done);
  EXPECT_EQ(future.status, 504);
  EXPECT_TRUE(future.done);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
