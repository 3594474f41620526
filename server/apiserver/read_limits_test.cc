// How much one Read of a list or watch returns.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using State = ResponseStream::State;

constexpr std::size_t kAll = std::size_t{1} << 30;
const std::string kMaps = "/api/v1/namespaces/default/configmaps";
const HeaderList kProtobuf = {{"Accept", "application/vnd.kubernetes.protobuf"}};

class ReadLimits : public ::testing::Test {
 protected:
  std::unique_ptr<ResponseStream> Open(const std::string& query, const HeaderList& headers = {}) {
    HttpRequest request{.method = "GET", .target = kMaps + "?" + query};
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    auto stream = server_.server().Handle(std::move(request));
    stream->SetWake([] {});
    EXPECT_TRUE(stream->ready());
    return stream;
  }
  std::unique_ptr<ResponseStream> WatchFrom(const std::string& version,
                                            const HeaderList& headers = {}) {
    return Open("watch=1&resourceVersion=" + version, headers);
  }
  static std::string Read(ResponseStream& stream, std::size_t max_bytes, State state) {
    std::vector<BodyChunk> chunks;
    EXPECT_EQ(stream.Read(max_bytes, chunks), state) << max_bytes;
    std::string text;
    for (const BodyChunk& chunk : chunks) text += chunk.bytes;
    return text;
  }
  // Reads as much as there is; returns the number of pieces.
  static std::size_t Chunks(ResponseStream& stream, State state) {
    std::vector<BodyChunk> chunks;
    EXPECT_EQ(stream.Read(kAll, chunks), state);
    return chunks.size();
  }
  [[nodiscard]] std::string Now() {
    return std::to_string(server_.server().current_resource_version());
  }
  void Make(const std::string& name, std::size_t size = 1) {
    const json::Value object = json::Value::MakeObject(
        {{"metadata", json::Value::MakeObject({{"namespace", "default"}, {"name", name}})},
         {"data", json::Value::MakeObject({{"k", std::string(size, 'x')}})}});
    ASSERT_TRUE(server_.server().Create(kConfigMaps, object).ok());
  }

  TestServer server_;
};

// A Read goes on until it has as much as it was asked for, and ends with a whole frame.
TEST_F(ReadLimits, WatchFrames_EndOnceTheLimitIsReached) {
  for (const HeaderList& form : {HeaderList(), kProtobuf}) {
    const std::string from = Now();
    const std::string tag = std::to_string(form.size());
    for (const char* name : {"a", "b", "c"}) Make(name + tag);
    const std::size_t trailer = form.empty() ? std::string("}\n").size() : 0;
    for (const bool initial : {false, true}) {
      const auto open = [&] {
        return initial ? Open("watch=1&fieldSelector=metadata.name!%3Dkube-root-ca.crt", form)
                       : WatchFrom(from, form);
      };
      auto first = open();
      const std::string one = Read(*first, 1, State::kMore);
      const std::string two = Read(*first, 1, State::kMore);
      first.reset();  // equal watches would share batches of frames
      ASSERT_GT(two.size(), 50U);
      const std::size_t size = one.size() - trailer;
      EXPECT_EQ(Read(*open(), size - 1, State::kMore), one);
      EXPECT_EQ(Read(*open(), size, State::kMore), one) << initial;
      EXPECT_EQ(Read(*open(), size + 1, State::kMore).size(), one.size() + two.size()) << initial;
    }
  }
}

TEST_F(ReadLimits, SharedBatches_AreReadUpToTheLimit) {
  const std::string from = Now();
  const auto first = WatchFrom(from);
  const auto second = WatchFrom(from);
  for (int i = 0; i < 20; ++i) Make("m" + std::to_string(i), std::size_t{20} << 10);
  // A batch ends with the event that makes it 64 KiB: here with the fourth.
  const std::string batch = Read(*first, 1, State::kMore);
  EXPECT_GT(batch.size(), std::size_t{80} << 10);
  EXPECT_LT(batch.size(), std::size_t{82} << 10);
  EXPECT_EQ(Read(*second, 1, State::kMore), batch);
  const std::string more = Read(*second, batch.size() + 1000, State::kMore);
  EXPECT_GT(more.size(), std::size_t{160} << 10) << "two batches";
  EXPECT_LT(more.size(), std::size_t{164} << 10);
  std::string rest = Read(*second, kAll, State::kWait);
  EXPECT_EQ(Read(*first, kAll, State::kWait), more + rest);
  EXPECT_EQ(Read(*first, kAll, State::kWait), "");
  EXPECT_EQ(Read(*second, kAll, State::kWait), "");
}

TEST_F(ReadLimits, BookmarkAfterTheInitialState_FillsItsRead) {
  const auto watch = Open(
      "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
      "&labelSelector=none");
  server_.MakeConfigMap("default", "late", R"({"none":"1"})");
  const json::Value bookmark = json::Parse(Read(*watch, 1, State::kMore)).OrExit();
  EXPECT_EQ(bookmark["type"].StringOrEmpty(), "BOOKMARK");
  EXPECT_EQ(bookmark.At("/object/metadata/annotations").Dump(),
            R"({"k8s.io/initial-events-end":"true"})");
  const json::Value late = json::Parse(Read(*watch, 1, State::kWait)).OrExit();
  EXPECT_EQ(late["type"].StringOrEmpty(), "ADDED");
  EXPECT_EQ(late.At("/object/metadata/name").StringOrEmpty(), "late");
}

TEST_F(ReadLimits, BookmarkAfterTheInitialState_MayFillItsReadExactly) {
  const std::string query =
      "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
      "&labelSelector=";
  const auto probe = Open(query + "none");
  const auto watch = Open(query + "in");
  server_.MakeConfigMap("default", "late", R"({"in":"1"})");
  const std::string bookmark = Read(*probe, 1, State::kMore);
  EXPECT_EQ(Read(*watch, bookmark.size(), State::kMore), bookmark);
  EXPECT_NE(Read(*watch, 1, State::kWait), "");
}

TEST_F(ReadLimits, List_IsReadAtOnceOrUpToTheLimit) {
  for (int i = 0; i < 40; ++i) Make("m" + std::to_string(i), 100);
  for (const char* query : {"", "limit=35", "fieldSelector=metadata.name%3Dm7"}) {
    const std::string whole = Read(*Open(query), kAll, State::kEnd);
    EXPECT_TRUE(json::Parse(whole).ok()) << query;
    const auto list = Open(query);
    std::string parts = Read(*list, 1, State::kMore);
    EXPECT_LT(parts.size(), whole.size());
    for (int i = 0; i < 100 && parts.size() < whole.size(); ++i) {
      std::vector<BodyChunk> chunks;
      const State state = list->Read(1, chunks);
      std::string text;
      for (const BodyChunk& chunk : chunks) text += chunk.bytes;
      EXPECT_LT(text.size(), 500U) << "one item";
      parts += text;
      EXPECT_EQ(state, parts.size() < whole.size() ? State::kMore : State::kEnd);
    }
    EXPECT_EQ(parts, whole) << query;
  }
}

// Time may stand still during a turn.
TEST_F(ReadLimits, Turn_VisitsSoManyObjectsThatDoNotMatch) {
  constexpr int kMost = 4096;
  const std::string from = Now();
  int made = 0;
  for (const int objects : {kMost, kMost + 1}) {
    for (; made < objects; ++made) server_.MakeConfigMap("default", std::to_string(made));
    const bool fits = objects == kMost;
    const auto read = [&](ResponseStream& stream, State end) {
      if (!fits) {
        EXPECT_EQ(Chunks(stream, State::kMore), 0U) << objects;
      }
      return Chunks(stream, end);
    };
    EXPECT_EQ(read(*Open("labelSelector=in&limit=5"), State::kEnd), 1U);
    EXPECT_EQ(read(*Open("watch=1&labelSelector=in"), State::kWait), 0U);
    EXPECT_EQ(read(*WatchFrom(from + "&labelSelector=in"), State::kWait), 0U);
    // Equal watches read batches of as many events.
    const auto first = WatchFrom(from + "&labelSelector=in");
    const auto second = WatchFrom(from + "&labelSelector=in");
    EXPECT_EQ(read(*first, State::kWait), 0U);
    EXPECT_EQ(read(*second, State::kWait), 0U);
  }
}

TEST_F(ReadLimits, Turn_MeasuresSoManyMessages) {
  int made = 0;
  for (const int objects : {256, 257}) {
    for (; made < objects; ++made) Make(std::to_string(made));
    const auto list = Open("", kProtobuf);
    if (objects > 256) {
      EXPECT_EQ(Chunks(*list, State::kMore), 0U);
    }
    EXPECT_EQ(Chunks(*list, State::kEnd), 1U) << objects;
  }
}

TEST_F(ReadLimits, ListHead_FillsItsRead) {
  Make("a");
  const std::string head = Read(*Open(""), 1, State::kMore);
  EXPECT_EQ(Read(*Open(""), head.size(), State::kMore), head);
  EXPECT_GT(Read(*Open(""), head.size() + 1, State::kEnd).size(), head.size());
}

TEST_F(ReadLimits, InitialStateBeforeABatch_EndsItsFrame) {
  Make("a");
  const auto first = Open("watch=1");
  const auto second = Open("watch=1");
  const auto lone = Open("watch=1&labelSelector=a!%3Db");
  Make("b");
  const std::string wanted = Read(*lone, kAll, State::kWait);
  EXPECT_EQ(std::count(wanted.begin(), wanted.end(), '\n'), 2);
  EXPECT_EQ(Read(*first, kAll, State::kWait), wanted);
  EXPECT_EQ(Read(*second, kAll, State::kWait), wanted);
}

// Equal watches share what they read, but not what one of them must not see.
TEST_F(ReadLimits, WatchThatBeganAtAFutureVersion_SkipsTheEventsUpToIt) {
  const std::int64_t now = server_.server().current_resource_version();
  const auto early = WatchFrom(std::to_string(now));
  const auto late = WatchFrom(std::to_string(now + 1));
  Make("a");
  EXPECT_NE(Read(*early, kAll, State::kWait), "");
  EXPECT_EQ(Read(*late, kAll, State::kWait), "");
  Make("b");
  EXPECT_EQ(Read(*early, kAll, State::kWait), Read(*late, kAll, State::kWait));
}

// Large objects are encoded on another thread, and the reader is told when they are there.
TEST_F(ReadLimits, LargeObject_WakesTheReader) {
  const std::string from = Now();
  Make("a", 20'000);
  for (const char* query : {"pretty=1", "pretty=1&limit=1"}) {
    auto stream = Open(query);
    int wakes = 0;
    stream->SetWake([&] { ++wakes; });
    EXPECT_NE(Read(*stream, kAll, State::kWait), "") << "the head of the list";
    EXPECT_TRUE(stream->resumes_soon());
    EXPECT_EQ(Read(*stream, kAll, State::kWait), "");
    server_.sim().RunReady();
    EXPECT_EQ(wakes, 1);
    EXPECT_FALSE(stream->resumes_soon());
    EXPECT_GT(Read(*stream, kAll, State::kEnd).size(), 20'000U);
  }
  auto watch = WatchFrom(from, kProtobuf);
  int wakes = 0;
  watch->SetWake([&] { ++wakes; });
  EXPECT_EQ(Read(*watch, kAll, State::kWait), "");
  EXPECT_TRUE(watch->resumes_soon());
  server_.sim().RunReady();
  EXPECT_EQ(wakes, 1);
  EXPECT_FALSE(watch->resumes_soon());
  EXPECT_GT(Read(*watch, kAll, State::kWait).size(), 20'000U);
}

// Only a version that is not there yet is waited for.
TEST_F(ReadLimits, StateThatIsThere_IsReadAtOnce) {
  server_.MakeConfigMap("default", "a");
  const std::int64_t now = server_.server().current_resource_version();
  const std::string initial =
      "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=";
  for (const std::string& target :
       {kMaps + "/a?resourceVersion=", kMaps + "?resourceVersion=", kMaps + initial}) {
    for (const std::int64_t version : {std::int64_t{0}, now - 1, now, now + 1}) {
      const auto stream = server_.server().Handle(
          {.method = "GET", .target = target + std::to_string(version), .headers = {}, .body = {}});
      EXPECT_EQ(stream->ready(), version <= now) << target << version - now;
      if (version > now) continue;
      EXPECT_EQ(stream->status(), 200) << target << version - now;
    }
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
