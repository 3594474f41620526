// sinks/feed/testing/feed_fixture.h
//
// MemorySink: a sink that notes its batches, and outlives feeds as a database outlives programs.
// FeedTest: a feed of the pods of a FakeServer in simulated time.

#ifndef KINFORMER_SINKS_FEED_TESTING_FEED_FIXTURE_H_
#define KINFORMER_SINKS_FEED_TESTING_FEED_FIXTURE_H_

#include <deque>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/sinks/snapshot_feed.h"

#include "client/testing/fake_lister_watcher.h"

namespace kinformer {

using Texts = std::vector<std::string>;

// Notes a batch as "FROM>TO +a -b", with "!" behind TO if it is complete. Used by one thread at a
// time.
class MemorySink final : public SnapshotSink {
 public:
  Result<std::string> Open(const ExportedResource&) override {
    if (std::optional<Error> error = Next(open_errors)) return *error;
    return version;
  }
  Result<std::optional<std::vector<HeldObject>>> Objects(const ExportedResource&) override {
    if (!tells_objects) return std::optional<std::vector<HeldObject>>();
    std::vector<HeldObject> held;
    for (const auto& [key, object] : objects) held.push_back(object);
    return std::optional(std::move(held));
  }
  Result<void> Commit(const SinkBatch& batch) override {
    if (on_commit) on_commit();
    if (std::optional<Error> error = Next(commit_errors)) return *error;
    std::string word = batch.from + ">" + batch.to + (batch.complete ? "!" : "");
    if (batch.complete) objects.clear();
    for (const SinkChange& change : batch.changes) {
      word += (change.removes() ? " -" : " +") + std::string(change.name());
      if (change.removes()) {
        objects.erase(change.Key());
      } else {
        objects[change.Key()] = {
            .name = {std::string(change.namespace_()), std::string(change.name())},
            .uid = std::string(change.uid()),
            .resourceVersion = std::string(change.resourceVersion())};
      }
    }
    version = batch.to;
    words.push_back(std::move(word));
    return {};
  }

  std::string version{};
  std::map<std::string, HeldObject> objects{};
  Texts words{};
  bool tells_objects = true;
  std::function<void()> on_commit{};
  std::deque<Error> open_errors{};
  std::deque<Error> commit_errors{};

 private:
  static std::optional<Error> Next(std::deque<Error>& errors) {
    if (errors.empty()) return std::nullopt;
    Error error = std::move(errors.front());
    errors.pop_front();
    return error;
  }
};

class FeedTest : public testing::Test {
 protected:
  FeedTest() : server_(sim_.env()) {}
  ~FeedTest() override { Stop(); }

  // Commits changes at once unless the options say otherwise.
  static SnapshotFeedOptions AtOnce() { return {.commit_interval = std::chrono::seconds(0)}; }

  void Start(SnapshotFeedOptions options = AtOnce()) {
    if (!options.on_watch_error) {
      options.on_watch_error = [this](const ExportedResource&, const Error& error) {
        errors_.emplace_back(ReasonName(error.reason()));
      };
    }
    feed_ = std::make_unique<SnapshotFeed>(sim_.env(), sink_, std::move(options));
    feed_->Add({.name = "pods", .source = "test"}, server_.NewListerWatcher());
    result_.reset();
    stop_ = std::stop_source();
    thread_ =
        sim_.env().NewThread("feed", [this] { result_.emplace(feed_->Run(stop_.get_token())); });
    sim_.RunReady();
  }
  void Stop() {
    stop_.request_stop();
    sim_.RunReady();
    if (thread_ != nullptr) thread_->Join();
    thread_.reset();
    feed_.reset();
  }
  // Returns the keys of the sink's objects with their versions: "default/a@3".
  [[nodiscard]] Texts Mirrored() const {
    Texts texts;
    for (const auto& [key, object] : sink_->objects) {
      texts.push_back(key + "@" + object.resourceVersion);
    }
    return texts;
  }
  [[nodiscard]] Texts OnServer() const {
    Texts texts;
    for (const auto& [name, object] : server_.objects()) {
      texts.push_back(name.ToString() + "@" + std::string(object->resourceVersion()));
    }
    return texts;
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
  internal::client::FakeServer server_;
  std::shared_ptr<MemorySink> sink_ = std::make_shared<MemorySink>();
  Texts errors_;
  std::optional<Result<void>> result_;  // of Run
  std::stop_source stop_;

 private:
  std::unique_ptr<SnapshotFeed> feed_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace kinformer

#endif  // KINFORMER_SINKS_FEED_TESTING_FEED_FIXTURE_H_
