#include "kinformer/client/warning_writer.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/client/client.h"

#include "client/engine.h"
#include "client/testing/engine_scene.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;

TEST(WarningWriterTest, EachWarningIsALine) {
  std::ostringstream out;
  const auto write = NewWarningWriter(out);
  for (const char* text : {"old", "", "older", "old"}) write(text);
  EXPECT_EQ(out.str(), "Warning: old\nWarning: older\nWarning: old\n");
}

TEST(WarningWriterTest, EachTextOnceIfAsked) {
  std::ostringstream out;
  const auto write = NewWarningWriter(out, {.deduplicate = true});
  const std::function<void(std::string_view)> copy = write;
  for (const char* text : {"old", "older", "old"}) write(text);
  copy("old");
  EXPECT_EQ(out.str(), "Warning: old\nWarning: older\n");
}

TEST(WarningWriterTest, InColourIfAsked) {
  std::ostringstream out;
  NewWarningWriter(out, {.color = true})("old");
  EXPECT_EQ(out.str(), "\x1b[33;1mWarning:\x1b[0m old\n");
}

TEST(WarningWriterTest, AnythingThatTakesTextIsASink) {
  struct Lines {
    Lines& operator<<(const std::string& line) {
      lines.push_back(line);
      return *this;
    }
    std::vector<std::string> lines;
  } sink;
  NewWarningWriter(sink)("old");
  EXPECT_EQ(sink.lines, (std::vector<std::string>{"Warning: old\n"}));
}

class WarningWriterOfClients : public ::kinformer::testing::EngineScene {};

TEST_F(WarningWriterOfClients, SeveralClientsShareOne) {
  std::ostringstream out;
  const auto write = NewWarningWriter(out, {.deduplicate = true});
  ScriptedResponse answer = Json("{}");
  answer.headers.emplace_back("Warning", R"(299 - "deprecated")");
  std::vector<std::shared_ptr<internal::client::Engine>> engines;
  for (int i = 0; i < 2; ++i) {
    Make({.qps = -1, .warning_handler = write});
    engines.push_back(engine_);
    server_.script = {answer};
    ASSERT_TRUE(Run({.target = "/x"}).ok());
  }
  EXPECT_EQ(out.str(), "Warning: deprecated\n");
  sim_.env().loop().Post([&] { engines[0]->ShutDown(); });
  sim_.RunReady();
}

}  // namespace
}  // namespace kinformer
