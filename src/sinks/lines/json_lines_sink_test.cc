// OpenJsonLinesSink: what stands in the file, and what remains of a torn one.

#include "kinformer/sinks/json_lines_sink.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "client/testing/test_pods.h"

namespace kinformer {
namespace {

using internal::client::MakePod;
using testing::ElementsAre;
using testing::HasSubstr;

SinkChange Put(const std::string& name, const std::string& rv) {
  return SinkChange::Upsert(Ref<Unstructured>(MakePod("default", name, rv)));
}
SinkChange Gone(const std::string& name, const std::string& rv) {
  return SinkChange::Remove(Ref<Unstructured>(MakePod("default", name, rv)));
}

class JsonLinesSinkTest : public testing::Test {
 protected:
  JsonLinesSinkTest() {
    std::string folder = testing::TempDir() + "json_lines_XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    path_ = folder_ + "/x.jsonl";
  }
  ~JsonLinesSinkTest() override {
    sink_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Opens the sink, and pods in it. Returns the held version, or the error's message.
  std::string Open(const std::string& source = "here") {
    sink_.reset();
    auto sink = OpenJsonLinesSink(path_);
    if (!sink) return sink.error().message();
    sink_ = *std::move(sink);
    const auto version = sink_->Open({.name = "pods", .source = source});
    return version ? *version : version.error().message();
  }
  void Commit(const std::string& from, const std::string& to, std::vector<SinkChange> changes,
              bool complete = false) {
    ASSERT_TRUE(sink_->Commit({.resource = {.name = "pods", .source = "here"},
                               .from = from,
                               .to = to,
                               .complete = complete,
                               .changes = std::move(changes)}));
  }
  std::vector<std::string> Held() {
    const auto objects = sink_->Objects({.name = "pods", .source = "here"});
    std::vector<std::string> texts;
    for (const HeldObject& object : **objects) {
      texts.push_back(object.name.ToString() + "@" + object.resourceVersion);
    }
    return texts;
  }
  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  void Append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }

  std::string folder_;
  std::string path_;
  std::shared_ptr<SnapshotSink> sink_;
};

TEST_F(JsonLinesSinkTest, Commit_IsALineForEachChangeAndOneForItself) {
  ASSERT_EQ(Open(), "");
  Commit("", "1", {Put("a", "1")}, true);
  Commit("1", "2", {Gone("a", "2")});
  const std::string name = R"("namespace":"default","name":"a","uid":"uid-a")";
  EXPECT_EQ(Text(),
            R"({"resource":"pods","op":"upsert",)" + name +
                R"(,"resourceVersion":"1","object":{"kind":"Pod","apiVersion":"v1","metadata":)"
                R"({"name":"a","namespace":"default","uid":"uid-a","resourceVersion":"1"},)"
                R"("spec":{"nodeName":""}}})"
                "\n"
                R"({"resource":"pods","op":"commit","from":"","to":"1","complete":true,)"
                R"("source":"here"})"
                "\n"
                R"({"resource":"pods","op":"remove",)" +
                name +
                R"(,"resourceVersion":"2"})"
                "\n"
                R"({"resource":"pods","op":"commit","from":"1","to":"2","complete":false,)"
                R"("source":"here"})"
                "\n");
}

TEST_F(JsonLinesSinkTest, FileThatIsOpenedAgain_IsHeld) {
  ASSERT_EQ(Open(), "");
  Commit("", "2", {Put("a", "1"), Put("b", "2")}, true);
  Commit("2", "4", {Put("b", "3"), Gone("a", "4")});
  EXPECT_EQ(Open(), "4");
  EXPECT_THAT(Held(), ElementsAre("default/b@3"));
  EXPECT_THAT(Open("there"), HasSubstr("has pods of another source (here, not there)"));
}

TEST_F(JsonLinesSinkTest, TornEnd_IsCutOffAtAnyByte) {
  ASSERT_EQ(Open(), "");
  Commit("", "1", {Put("a", "1")}, true);
  const std::string kept = Text();
  Commit("1", "3", {Put("b", "2"), Gone("a", "3")});
  sink_.reset();
  const std::string whole = Text();
  for (std::size_t size = kept.size(); size < whole.size(); ++size) {
    std::ofstream(path_, std::ios::trunc) << whole.substr(0, size);
    ASSERT_EQ(Open(), "1") << size;
    ASSERT_EQ(Text(), kept) << size;
    ASSERT_THAT(Held(), ElementsAre("default/a@1"));
    sink_.reset();
  }
  for (std::size_t size = 0; size < kept.size(); ++size) {
    std::ofstream(path_, std::ios::trunc) << whole.substr(0, size);
    ASSERT_EQ(Open(), "") << size;
    ASSERT_EQ(Text(), "") << size;
    sink_.reset();
  }
}

TEST_F(JsonLinesSinkTest, LinesOfAnotherProgram_AreRefusedAndStay) {
  Append("{\"resource\":\"pods\"}\n");
  EXPECT_THAT(Open(), HasSubstr("line 1 is none of an export"));
  EXPECT_EQ(Text(), "{\"resource\":\"pods\"}\n");
}

TEST_F(JsonLinesSinkTest, DamagedLineInTheMiddle_IsRefused) {
  ASSERT_EQ(Open(), "");
  Commit("", "1", {Put("a", "1")}, true);
  Append("garbage\n");
  Append(R"({"resource":"pods","op":"commit","from":"1","to":"2","source":"here"})"
         "\n");
  EXPECT_THAT(Open(), HasSubstr("line 3 is none of an export"));
}

TEST_F(JsonLinesSinkTest, TwoWriters_SecondIsRefused) {
  ASSERT_EQ(Open(), "");
  const auto second = OpenJsonLinesSink(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().reason(), Reason::kConflict);
}

TEST_F(JsonLinesSinkTest, LineBreaksBetweenValues_AreTakenOut) {
  ASSERT_EQ(Open(), "");
  const auto pod = internal::BuildFromJson(
      internal::client::PodType(),
      "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"},\n\"spec\":{\n\"x\":\"1\\n2\"}}");
  Commit("", "1", {SinkChange::Upsert(Ref<Unstructured>(*pod))}, true);
  EXPECT_EQ(Open(), "1");
  EXPECT_THAT(Text(), HasSubstr(R"({ "x":"1\n2"})"));
}

}  // namespace
}  // namespace kinformer
