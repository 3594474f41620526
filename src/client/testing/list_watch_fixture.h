// client/testing/list_watch_fixture.h
//
// ListWatchTest: lists and watches of a ScriptedServer, with a recording receiver.

#ifndef KINFORMER_CLIENT_TESTING_LIST_WATCH_FIXTURE_H_
#define KINFORMER_CLIENT_TESTING_LIST_WATCH_FIXTURE_H_

#include <chrono>
#include <functional>
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

#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {

using ::kinformer::testing::Json;
using ::kinformer::testing::Protobuf;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::ScriptedServer;
using ::kinformer::testing::StatusFailure;
using std::chrono::seconds;

inline std::string Widget(const std::string& name, int version) {
  return R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" + name +
         R"(","namespace":"default","resourceVersion":")" + std::to_string(version) +
         R"("},"spec":{"size":3}})";
}

inline std::string WidgetList(const std::string& items, const std::string& meta) {
  return R"({"apiVersion":"example.com/v1","kind":"WidgetList","metadata":{)" + meta +
         R"(},"items":[)" + items + "]}";
}

inline std::string Field(int number, const std::string& bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  out += static_cast<char>(bytes.size());
  return out + bytes;
}

// Returns a metadata-only object as protobuf message.
inline std::string MetadataMessage(const std::string& name, const std::string& version) {
  return Field(1, Field(1, name) + Field(3, "default") + Field(6, version));
}

class Recorder final : public ListReceiver, public WatchReceiver {
 public:
  std::vector<std::string> items{};  // "+ns/name@version"
  std::vector<std::string> kinds{};
  std::vector<std::string> unreadable{};
  std::string why{};
  std::optional<Result<ListMeta>> list_done{};
  std::optional<Result<void>> watch_done{};
  int started = 0;
  int chunk_ends = 0;

  void OnItem(AnyRef object) override { Note("", *object.object()); }
  void OnUnreadable(std::string_view namespace_, std::string_view name, const Error&) override {
    unreadable.push_back(std::string(namespace_) + "/" + std::string(name));
  }
  void OnDone(Result<ListMeta> result) override { list_done = std::move(result); }
  void OnStarted() override { ++started; }
  void OnEvent(const WatchEvent& event) override {
    constexpr const char* kSigns[] = {"+", "~", "-", "bookmark"};
    const char* const sign = kSigns[static_cast<int>(event.type)];
    if (event.unreadable) {
      unreadable.push_back(sign + (std::string(event.namespace_) + "/") + std::string(event.name) +
                           "@" + std::string(event.resourceVersion));
      if (event.why != nullptr) why = event.why->ToString();
    } else if (event.object) {
      Note(sign, *event.object.object());
    } else {
      items.push_back(std::string(sign) + "@" + std::string(event.resourceVersion) +
                      (event.initial_events_end ? " end" : ""));
    }
  }
  void OnDone(Result<void> result) override { watch_done = std::move(result); }
  void OnChunkEnd() override { ++chunk_ends; }

 private:
  void Note(const std::string& sign, const Block& object) {
    items.push_back(sign + std::string(object.namespace_()) + "/" + std::string(object.name()) +
                    "@" + std::string(object.resourceVersion()));
    kinds.emplace_back(object.type().kind);
  }
};

class ListWatchTest : public ::testing::Test {
 protected:
  void SetUp() override { Make({.max_chunk_bytes = 7}); }
  void Make(InMemoryTransportOptions options) {
    transport_ = NewInMemoryTransport(sim_.env(), server_, options);
    client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = -1}));
  }
  void List(const KindInfo& type, ListOptions options = {}, const std::string& ns = "default",
            std::function<void(ListOptions&)> tweak = {}) {
    ListFrom(NewListWatch(*client_, type, ns, std::move(tweak)), std::move(options));
  }
  void ListFrom(std::unique_ptr<ListerWatcher> source, ListOptions options = {}) {
    recorder_ = Recorder();
    source_ = std::move(source);
    sim_.env().loop().Post([&, options] {
      call_ = source_->List(options, recorder_);
      EXPECT_FALSE(recorder_.list_done);
    });
    sim_.RunUntil([&] { return recorder_.list_done.has_value(); }, seconds(60));
    Drop();
  }
  void Watch(const KindInfo& type, ListOptions options = {}) {
    recorder_ = Recorder();
    sim_.env().loop().Post([&, options] {
      source_ = NewListWatch(*client_, type, "default");
      call_ = source_->Watch(options, recorder_);
    });
    sim_.RunUntil([&] { return recorder_.watch_done.has_value(); }, seconds(60));
    Drop();
  }
  void Drop() {
    sim_.env().loop().Post([&] {
      call_.reset();
      source_.reset();
    });
    sim_.RunReady();
  }
  void TearDown() override { Drop(); }

  const KindInfo& widgets_ = *DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
  const KindInfo& metadata_ = *MetadataKindInfo("apps", "v1", "Deployment", "deployments", true);
  Simulation sim_{{.seed = 3}};
  ScriptedServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::optional<Client> client_;
  std::unique_ptr<ListerWatcher> source_;
  std::unique_ptr<ListWatchCall> call_;
  Recorder recorder_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TESTING_LIST_WATCH_FIXTURE_H_
