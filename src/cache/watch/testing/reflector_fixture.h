// cache/watch/testing/reflector_fixture.h
//
// ReflectorTest: a reflector over a client::FakeServer in simulated time, with a store and an
// observer that record their calls.

#ifndef KINFORMER_CACHE_WATCH_TESTING_REFLECTOR_FIXTURE_H_
#define KINFORMER_CACHE_WATCH_TESTING_REFLECTOR_FIXTURE_H_

#include <cstddef>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/tracing.h"

#include "cache/watch/reflector.h"
#include "client/testing/fake_lister_watcher.h"

namespace kinformer::internal::cache {

using Texts = std::vector<std::string>;

// Records its contents as a map and its calls as a list of words.
class RecordingStore final : public ReflectorStore {
 public:
  void Change(DeltaType type, ObjectRef object) override {
    if (type != DeltaType::kDeleted) {
      return Put(type == DeltaType::kAdded ? "add" : "update", object);
    }
    words.push_back("delete " + std::string(object->name()));
    objects.erase(std::string(object->name()));
  }
  void Unreadable(std::string_view, std::string_view name, bool) override {
    words.push_back("unreadable " + std::string(name));
  }
  void Bookmark(std::string_view rv) override { words.push_back("bookmark " + std::string(rv)); }
  void ReplaceBegin() override { staged.clear(); }
  void ReplaceItem(ObjectRef object) override {
    staged[std::string(object->name())] = object->resourceVersion();
  }
  void ReplaceUnreadable(std::string_view, std::string_view name) override {
    words.push_back("unreadable " + std::string(name));
  }
  void ReplaceRemove(std::string_view, std::string_view name) override {
    staged.erase(std::string(name));
  }
  void ReplaceEnd(std::string_view rv) override {
    objects = staged;
    ++replaced;
    words.push_back("replace " + std::string(rv));
  }
  Result<void> Resync() override {
    ++resyncs;
    if (resync_fails_at == resyncs) return Error(Reason::kInternalError, "resync failed");
    return {};
  }
  void ChunkEnd() override {}

  std::map<std::string, std::string> objects{};
  std::map<std::string, std::string> staged{};
  Texts words{};
  int replaced = 0;
  int resyncs = 0;
  int resync_fails_at = 0;

 private:
  void Put(const char* verb, const ObjectRef& object) {
    words.push_back(verb + (" " + std::string(object->name())));
    objects[std::string(object->name())] = object->resourceVersion();
  }
};

class RecordingObserver final : public ReflectorObserver {
 public:
  void OnWatchError(const Error& error) override { errors.push_back(error.reason()); }
  void OnEpochChanged() override { ++epochs; }
  std::vector<Reason> errors{};
  int epochs = 0;
};

// Collects warnings with the fields `silent_for`, `event`, `from`, `to`, `key`, `name` and, for
// unreadable objects, `err`, as far as present.
class RecordingLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    std::string line(message);
    for (const LogField& field : fields) {
      const bool why = field.key == "err" && message.find("unreadable") != std::string_view::npos;
      if (why || field.key == "silent_for" || field.key == "event" || field.key == "from" ||
          field.key == "to" || field.key == "key" || field.key == "name") {
        line += " " + field.value;
      }
    }
    lines.push_back(std::move(line));
  }
  Texts lines{};
};

class ReflectorTest : public testing::Test {
 protected:
  explicit ReflectorTest(std::shared_ptr<Tracer> tracer = nullptr)
      : tracer_(std::move(tracer)), server_(sim_.env()) {
    server_.watch_list_unsupported = true;
  }
  ~ReflectorTest() override { reflector_.reset(); }

  void Start(ReflectorOptions options = {}) {
    StartSoon(std::move(options));
    sim_.RunReady();
  }
  // Starts the reflector when the simulation runs.
  void StartSoon(ReflectorOptions options = {}) {
    options.name = "pods";
    if (options.expected_type == nullptr) options.expected_type = &client::PodType();
    lister_watcher_ = server_.NewListerWatcher();
    reflector_ = std::make_unique<Reflector>(sim_.env(), *lister_watcher_, store_, observer_,
                                             std::move(options));
    sim_.env().loop().Post([this] { reflector_->Start(); });
  }
  // Checks that the store has exactly the server's objects.
  void ExpectServersObjects() {
    std::map<std::string, std::string> served;
    for (const auto& [name, object] : server_.objects()) {
      served[name.name] = object->resourceVersion();
    }
    EXPECT_EQ(store_.objects, served);
  }
  Error Expired() { return Error(Reason::kExpired, "too old").WithHttpStatus(410); }
  Error Refused() { return Error(Reason::kConnectionRefused, "refused"); }
  Error TooMany() { return Error(Reason::kTooManyRequests, "slow down").WithHttpStatus(429); }
  Error Internal() { return Error(Reason::kInternalError, "500").WithHttpStatus(500); }
  Error TooLarge() {
    Error error(Reason::kTimeout, "Too large resource version: 9, current: 1");
    error.WithHttpStatus(504);
    StatusDetails details;
    details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
    return error.WithDetails(details);
  }
  [[nodiscard]] SteadyTime Now() { return sim_.env().Now(); }
  // Without the repeats that only time brings.
  [[nodiscard]] std::size_t Count(const std::string& prefix) const {
    std::size_t n = 0;
    for (const std::string& request : server_.requests) n += request.starts_with(prefix) ? 1 : 0;
    return n;
  }

  const std::shared_ptr<RecordingLog> log_ = std::make_shared<RecordingLog>();
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  const std::shared_ptr<Tracer> tracer_;
  Simulation sim_{{.log = log_, .metrics = metrics_, .tracer = tracer_}};
  client::FakeServer server_;
  RecordingStore store_;
  RecordingObserver observer_;
  std::unique_ptr<ListerWatcher> lister_watcher_;
  std::unique_ptr<Reflector> reflector_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_TESTING_REFLECTOR_FIXTURE_H_
