// The in-memory transport: what it asks of the server, and the chunks that it makes of the answer.

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

#include "transport/in_memory_scene_for_test.h"

namespace kinformer::internal::transport {
namespace {

using State = ResponseStream::State;
using Texts = std::vector<std::string>;

using InMemoryChunks = InMemoryScene;

TEST_F(InMemoryChunks, Server_IsAskedForOneChunkAndAtLeast4096Bytes) {
  for (const auto& [chunk, asked] :
       {std::pair<std::size_t, std::size_t>{1, 4096}, {4096, 4096}, {4097, 4097}, {9000, 9000}}) {
    Make({.max_chunk_bytes = chunk});
    script().steps = {{.parts = {std::string(chunk, 'x')}, .state = State::kMore},
                      {.parts = {"y"}, .state = State::kEnd}};
    std::size_t reads = 0;
    TimedReceiver got(sim_.env());
    got.on_data = [&] { reads = reads == 0 ? script().asked.size() : reads; };
    Start(got);
    sim_.RunReady();
    EXPECT_EQ(reads, 1U) << "a full chunk is delivered before the next Read";
    EXPECT_EQ(script().asked, (std::vector<std::size_t>{asked, asked})) << chunk;
    EXPECT_EQ(got.calls.back(), "done");
  }
}

// The client's part of the wake: no Read without news.
TEST_F(InMemoryChunks, AfterAWait_TheServerIsNotAskedUntilItWakes) {
  Make({.max_chunk_bytes = 2});
  script().steps = {{.parts = {"abc"}, .state = State::kWait}};
  TimedReceiver got(sim_.env());
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.calls, (Texts{"head 200 0", "data ab", "data c"}));
  const std::size_t asked = script().asked.size();
  sim_.RunFor(std::chrono::hours(1));
  EXPECT_EQ(script().asked.size(), asked);
  script().steps = {{.parts = {"d"}, .state = State::kWait}};
  sim_.RunReady();
  EXPECT_EQ(script().asked.size(), asked);
  script().Wake();
  script().Wake();
  sim_.RunReady();
  EXPECT_EQ(got.calls.back(), "data d");
  EXPECT_EQ(script().asked.size(), asked + 1);
}

TEST_F(InMemoryChunks, ReadyInTheMiddleOfTheQuestion_IsNotMissed) {
  Make();
  int questions = 0;
  script().in_ready = [&] {
    if (++questions > 1) return true;
    script().Wake();
    return false;
  };
  TimedReceiver got(sim_.env());
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.calls, Texts{"head 200 0"});
}

TEST_F(InMemoryChunks, Chunk_OfOneSizeIsPassedInPlace) {
  Make({.max_chunk_bytes = 4});
  script().steps = {{.parts = {"abcd", "ef", "ghijkl"}, .state = State::kEnd}};
  TimedReceiver got(sim_.env());
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.calls, (Texts{"head 200 0", "data abcd", "data efgh", "data ijkl", "done"}));
  ASSERT_EQ(script().places.size(), 3U);
  EXPECT_EQ(got.places[0], script().places[0]);
  EXPECT_EQ(got.places[2], script().places[2] + 2);
}

TEST_F(InMemoryChunks, ChunkSize_IsEachFromOneToTheMost) {
  Make({.max_chunk_bytes = 3, .random_chunks = true});
  script().steps = {{.parts = {std::string(300, 'x')}, .state = State::kWait}};
  TimedReceiver got(sim_.env());
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.bytes, 300U);
  const std::set<std::string> seen(got.calls.begin() + 1, got.calls.end());
  EXPECT_EQ(seen, (std::set<std::string>{"data x", "data xx", "data xxx"}));
}

TEST_F(InMemoryChunks, ChunkSize_OfZeroIsOne) {
  for (const bool random : {false, true}) {
    for (const std::size_t most : {std::size_t{0}, std::size_t{1}}) {
      Make({.max_chunk_bytes = most, .random_chunks = random});
      server_.script = std::make_shared<Script>();
      script().steps = {{.parts = {"", "ab", ""}, .state = State::kEnd}};
      TimedReceiver got(sim_.env());
      Start(got);
      sim_.RunReady();
      EXPECT_EQ(got.calls, (Texts{"head 200 0", "data a", "data b", "done"}));
    }
  }
}

TEST_F(InMemoryChunks, Figures_CountRequestsAndBytes) {
  Make();
  EXPECT_EQ(transport_->Describe(), "in-memory server");
  script().steps = {{.parts = {"abc"}, .state = State::kWait}};
  TimedReceiver first(sim_.env());
  TimedReceiver second(sim_.env());
  Start(first);
  sim_.RunReady();
  server_.script = std::make_shared<Script>();
  script().steps = {{.parts = {"defg"}, .state = State::kEnd}};
  Start(second);
  EXPECT_EQ(transport_->Stats().connections_open, 2U);
  sim_.RunReady();
  EXPECT_TRUE(second.done);
  const TransportStats stats = transport_->Stats();
  EXPECT_EQ(stats.requests, 2U);
  EXPECT_EQ(stats.connections_opened, 2U);
  EXPECT_EQ(stats.connections_open, 1U) << "also while the caller keeps the handle";
  EXPECT_EQ(stats.bytes_received, 7U);
  EXPECT_TRUE(script().gone);
}

}  // namespace
}  // namespace kinformer::internal::transport
