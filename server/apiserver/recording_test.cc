#include "kinformer/apiserver/recording.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

#include "apiserver/faults/recording_format.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

std::string Contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

class RecordingTest : public ::testing::Test {
 protected:
  RecordingTest()
      : path_((std::filesystem::temp_directory_path() /
               ("kinformer-recording-test." + std::to_string(getpid())))
                  .string()) {}
  ~RecordingTest() override {
    recorder_.reset();
    std::filesystem::remove(path_);
  }

  void Record(RecorderOptions options = {}) {
    transport_ = NewInMemoryTransport(server_.sim().env(), server_.server());
    recorder_ = Recorder::Open(server_.sim().env(), transport_, path_, options).OrExit();
  }
  void Replaying(ReplayOptions options = {}) {
    replay_ = Replay::Open(server_.sim().env(), path_, options).OrExit();
  }

  std::unique_ptr<OpenReply> Open(Handler& handler, std::string_view target,
                                  const HeaderList& headers = {}, std::string_view method = "GET") {
    HttpRequest request{.method = std::string(method), .target = std::string(target)};
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    auto open = std::make_unique<OpenReply>(server_.sim(), handler.Handle(std::move(request)));
    server_.sim().RunReady();
    open->Pull();
    return open;
  }

  TestServer server_;
  std::string path_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Replay> replay_;
};

TEST_F(RecordingTest, AListAndAWatchAtTheirPace) {
  Record();
  const std::string a = server_.MakeConfigMap("default", "a");
  const auto list = Open(*recorder_, std::string(kMaps) + "?limit=500&resourceVersion=0");
  EXPECT_EQ(list->reply().status, 200);
  EXPECT_TRUE(list->ended());
  auto watch = Open(*recorder_,
                    std::string(kMaps) + "?watch=true&resourceVersion=" + a + "&timeoutSeconds=8");
  EXPECT_FALSE(watch->ended());
  server_.sim().RunFor(seconds(3));
  const std::string b = server_.MakeConfigMap("default", "b");
  EXPECT_THAT(watch->Events(), ElementsAre("ADDED default/b " + b)) << "passed on at once";
  server_.sim().RunFor(seconds(10));
  watch->Pull();
  EXPECT_TRUE(watch->ended());
  EXPECT_EQ(recorder_->Stats().exchanges, 2U);
  EXPECT_EQ(recorder_->Stats().bytes, std::filesystem::file_size(path_));

  Replaying();
  EXPECT_EQ(replay_->exchanges(), 2U);
  const auto again = Open(*replay_, std::string(kMaps) + "?limit=500&resourceVersion=0");
  EXPECT_EQ(again->reply().body, list->reply().body);
  EXPECT_EQ(again->reply().headers.Get("Content-Type"), "application/json");
  // Requests that differ only in timeout and version are treated as equal.
  auto events =
      Open(*replay_, std::string(kMaps) + "?watch=true&resourceVersion=7" + "&timeoutSeconds=400");
  EXPECT_THAT(events->Events(), IsEmpty());
  server_.sim().RunFor(milliseconds(2990));
  EXPECT_THAT(events->Events(), IsEmpty());
  server_.sim().RunFor(milliseconds(20));
  EXPECT_THAT(events->Events(), ElementsAre("ADDED default/b " + b));
  server_.sim().RunFor(seconds(6));
  events->Pull();
  EXPECT_TRUE(events->ended());
  EXPECT_EQ(replay_->served(), 2U);

  // After the end of the recording, the replay repeats the last list, and watches are silent.
  EXPECT_EQ(Open(*replay_, std::string(kMaps) + "?limit=500&resourceVersion=0")->reply().body,
            list->reply().body);
  auto silence = Open(*replay_, std::string(kMaps) + "?watch=true&timeoutSeconds=5");
  EXPECT_EQ(silence->reply().status, 200);
  server_.sim().RunFor(milliseconds(4990));
  silence->Pull();
  EXPECT_FALSE(silence->ended());
  server_.sim().RunFor(milliseconds(20));
  silence->Pull();
  EXPECT_TRUE(silence->ended());
  EXPECT_THAT(silence->Events(), IsEmpty());

  Replaying({.speed = 0});
  auto fast = Open(*replay_, std::string(kMaps) + "?watch=true&resourceVersion=" + a);
  EXPECT_THAT(fast->Events(), ElementsAre("ADDED default/b " + b));
  EXPECT_TRUE(fast->ended());
  Replaying({.speed = 3});
  auto third = Open(*replay_, std::string(kMaps) + "?watch=true&resourceVersion=" + a);
  server_.sim().RunFor(milliseconds(1010));
  EXPECT_THAT(third->Events(), ElementsAre("ADDED default/b " + b));
}

TEST_F(RecordingTest, AnswersComeInTheirOrderAndInReadableForms) {
  Record();
  server_.MakeConfigMap("default", "a");
  const auto first = Open(*recorder_, kMaps);
  server_.MakeConfigMap("default", "b");
  const auto second = Open(*recorder_, kMaps);
  const HeaderList protobuf = {{"Accept", "application/vnd.kubernetes.protobuf"}};
  const auto binary = Open(*recorder_, "/api/v1/namespaces/default/configmaps/a", protobuf);

  Replaying();
  EXPECT_EQ(Open(*replay_, kMaps)->reply().body, first->reply().body);
  EXPECT_EQ(Open(*replay_, kMaps)->reply().body, second->reply().body);
  EXPECT_EQ(Open(*replay_, "/api/v1/namespaces/default/configmaps/a")->reply().status, 404)
      << "there is no JSON of it";
  EXPECT_EQ(Open(*replay_, "/api/v1/namespaces/default/configmaps/a", protobuf)->reply().body,
            binary->reply().body);
  const auto none = Open(*replay_, "/api/v1/pods");
  EXPECT_EQ(none->reply().status, 404);
  EXPECT_THAT(none->reply().body, HasSubstr("the recording holds no answer to GET /api/v1/pods"));
  EXPECT_EQ(Open(*replay_, kMaps, {}, "POST")->reply().status, 405);
  EXPECT_EQ(Open(*replay_, "/readyz")->reply().body, "ok");
}

TEST_F(RecordingTest, NothingSecretIsWritten) {
  Record();
  ASSERT_TRUE(server_.server()
                  .Load("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
                        "stringData: {password: hunter2}\ndata: {k: aHVudGVyMg==}\n")
                  .ok());
  const HeaderList headers = {{"Authorization", "Bearer very-secret-token"},
                              {"Cookie", "session=very-secret-token"}};
  for (const char* target :
       {"/api/v1/secrets", "/api/v1/namespaces/default/secrets/s", "/api/v1/watch/secrets",
        "/api/v1/secrets?watch=true&timeoutSeconds=1", "/api/v1/configmaps"}) {
    const auto reply = Open(*recorder_, target, headers);
    EXPECT_GE(reply->reply().status, 200) << target;
  }
  server_.sim().RunFor(seconds(3));
  EXPECT_EQ(recorder_->Stats().exchanges, 1U);
  const std::string written = Contents(path_);
  EXPECT_THAT(written, Not(HasSubstr("aHVudGVyMg")));
  EXPECT_THAT(written, Not(HasSubstr("very-secret")));
  EXPECT_THAT(written, HasSubstr("/api/v1/configmaps"));
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);

  Record({.include_secrets = true});
  static_cast<void>(Open(*recorder_, "/api/v1/secrets"));
  EXPECT_THAT(Contents(path_), HasSubstr("aHVudGVyMg"));
}

// Row 5: a client of the recorder must not write with the recorder's credentials.
TEST_F(RecordingTest, WritesExecAndProxy_AreRefused) {
  Record();
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "CONNECT"}) {
    OpenReply reply(server_.sim(),
                    recorder_->Handle({.method = method, .target = std::string(kMaps)}));
    reply.Pull();
    EXPECT_EQ(reply.reply().status, 405) << method;
    EXPECT_THAT(reply.reply().body, HasSubstr("--record-writes"));
  }
  for (const char* target :
       {"/api/v1/namespaces/default/pods/p/exec?command=rm", "/api/v1/nodes/n/proxy/stop",
        "/api/v1/namespaces/default/services/s/proxy/"}) {
    EXPECT_EQ(Open(*recorder_, target)->reply().status, 405) << target;
  }
  EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 0U);
}

TEST_F(RecordingTest, AnOldFileIsForItsOwnerBeforeAnythingIsInIt) {
  std::ofstream(path_) << "old";
  std::filesystem::permissions(path_, std::filesystem::perms::all);
  Record();
  EXPECT_EQ(std::filesystem::status(path_).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_THAT(Contents(path_), ::testing::Not(HasSubstr("old")));
}

// In a shared folder, the path may be another user's link to a file of this user.
TEST_F(RecordingTest, Open_OfALink_IsRefusedAndWhatItNamesStays) {
  const std::string target = path_ + ".target";
  std::ofstream(target) << "mine";
  std::filesystem::create_symlink(target, path_);
  transport_ = NewInMemoryTransport(server_.sim().env(), server_.server());
  const auto opened = Recorder::Open(server_.sim().env(), transport_, path_);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().reason(), Reason::kConfig);
  EXPECT_THAT(opened.error().message(), HasSubstr("is a link, which is not followed"));
  EXPECT_EQ(Contents(target), "mine");
  std::filesystem::remove(path_);

  // Hard links are refused, too.
  std::filesystem::create_hard_link(target, path_);
  EXPECT_FALSE(Recorder::Open(server_.sim().env(), transport_, path_).ok());
  EXPECT_EQ(Contents(target), "mine");
  std::filesystem::remove(target);
}

TEST_F(RecordingTest, Open_OfWhatIsNoFile_IsRefused) {
  transport_ = NewInMemoryTransport(server_.sim().env(), server_.server());
  const auto opened = Recorder::Open(server_.sim().env(), transport_, "/dev/full");
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message(), HasSubstr("no regular file of this user's alone"));
}

TEST_F(RecordingTest, WritesPassWhereAllowedAndAreNotRecorded) {
  Record({.allow_writes = true});
  HttpRequest post{
      .method = "POST", .target = std::string(kMaps), .body = R"({"metadata":{"name":"new"}})"};
  post.headers.Add("Content-Type", "application/json");
  OpenReply reply(server_.sim(), recorder_->Handle(std::move(post)));
  server_.sim().RunReady();
  reply.Pull();
  EXPECT_EQ(reply.reply().status, 201);
  EXPECT_EQ(recorder_->Stats().exchanges, 0U);
  EXPECT_EQ(server_.server().ObjectCount(kConfigMaps), 1U);
}

TEST_F(RecordingTest, ServerUnreachable_Is502) {
  Record();
  transport_->Down();
  const auto reply = Open(*recorder_, kMaps);
  EXPECT_EQ(reply->reply().status, 502);
  EXPECT_THAT(reply->reply().body, HasSubstr("does not answer: connection refused"));
  transport_->Up();
  auto watch = Open(*recorder_, std::string(kMaps) + "?watch=true");
  transport_->Down();
  server_.sim().RunReady();
  watch->Pull();
  EXPECT_TRUE(watch->reply().aborted);
  Replaying({.speed = 0});
  EXPECT_TRUE(Open(*replay_, std::string(kMaps) + "?watch=true")->reply().aborted);
}

TEST_F(RecordingTest, TruncatedRecording_IsReadable) {
  Record();
  server_.MakeConfigMap("default", "a");
  static_cast<void>(Open(*recorder_, kMaps));
  auto watch = Open(*recorder_, std::string(kMaps) + "?watch=true");
  const std::string whole = Contents(path_);
  for (std::size_t size = kRecordingHeader.size(); size <= whole.size(); ++size) {
    const auto recording = ParseRecording(whole.substr(0, size));
    ASSERT_TRUE(recording.ok());
    EXPECT_LE(recording->exchanges.size(), 2U);
    for (const RecordedExchange& exchange : recording->exchanges) {
      EXPECT_THAT(exchange.target, HasSubstr("configmaps"));
    }
  }
  // The watch had not ended when the recording was cut off: it stays open.
  Replaying({.speed = 0});
  auto open = Open(*replay_, std::string(kMaps) + "?watch=true");
  EXPECT_THAT(open->Events().size(), 1U);
  EXPECT_FALSE(open->ended());
  server_.sim().RunFor(minutes(31));
  open->Pull();
  EXPECT_TRUE(open->ended());

  EXPECT_EQ(ParseRecording("").error().reason(), Reason::kConfig);
  EXPECT_THAT(ParseRecording("GIF89a").error().message(), HasSubstr("no recording"));
  EXPECT_THAT(ParseRecording("kinformer-recording 2\n").error().message(),
              HasSubstr("version 2, but this program reads version 1"));
  EXPECT_THAT(Replay::Open(server_.sim().env(), "/nowhere/x").error().message(),
              HasSubstr("/nowhere/x"));
  EXPECT_EQ(Recorder::Open(server_.sim().env(), transport_, "/nowhere/x").error().reason(),
            Reason::kConfig);
}

TEST_F(RecordingTest, AReaderThatDoesNotReadIsCut) {
  Record({.max_unread_bytes = 100});
  server_.MakeConfigMap("default", "a");
  auto stream = recorder_->Handle({.method = "GET", .target = std::string(kMaps)});
  server_.sim().RunReady();
  OpenReply reply(server_.sim(), std::move(stream));
  EXPECT_TRUE(reply.reply().aborted);
  Replaying({.speed = 0});
  EXPECT_TRUE(Open(*replay_, kMaps)->reply().Json()["items"].is_array()) << "written all the same";
}

}  // namespace
}  // namespace kinformer::apiserver::testing
