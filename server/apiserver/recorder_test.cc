#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/apiserver/recording.h"
#include "kinformer/base/simulation.h"

#include "apiserver/faults/recording_format.h"
#include "apiserver/faults/testing/scripted_upstream.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;

class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest()
      : path_((std::filesystem::temp_directory_path() /
               ("kinformer-recorder-test." + std::to_string(getpid())))
                  .string()) {}
  ~RecorderTest() override {
    recorder_.reset();
    std::filesystem::remove(path_);
  }

  void Record(RecorderOptions options = {}) {
    recorder_.reset();
    recorder_ = Recorder::Open(sim_.env(), up_, path_, options).OrExit();
  }
  std::unique_ptr<ResponseStream> Ask(std::string_view target, std::string_view method = "GET") {
    return recorder_->Handle({.method = std::string(method), .target = std::string(target)});
  }
  OpenReply Open(std::string_view target, std::string_view method = "GET") {
    return {sim_, Ask(target, method)};
  }
  [[nodiscard]] std::string Contents() const {
    std::ifstream in(path_, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  [[nodiscard]] Recording Written() const { return ParseRecording(Contents()).OrExit(); }

  Simulation sim_{{.start = WallTime(seconds(5))}};
  std::shared_ptr<Upstream> up_ = std::make_shared<Upstream>();
  std::string path_;
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(RecorderTest, Request_IsPassedOnWithoutCredentials) {
  Record({.allow_writes = true});
  HttpRequest request{.method = "PATCH",
                      .target = "/api/v1/pods?x=1",
                      .body = "body",
                      .timeout = seconds(7),
                      .user = "jane"};
  const std::vector<std::pair<const char*, const char*>> headers = {
      {"accept", "a/b"},       {"Authorization", "Bearer t"}, {"CONTENT-TYPE", "c/d"},
      {"Cookie", "c"},         {"User-Agent", "u"},           {"If-None-Match", "e"},
      {"Accept-Encoding", ""}, {"Impersonate-User", "x"},     {"Accep", "x"},
      {"If-None-Matc", "x"}};
  for (const auto& [name, value] : headers) request.headers.Add(name, value);
  const auto stream = recorder_->Handle(std::move(request));
  const HttpRequest& passed = up_->requests.at(0);
  EXPECT_EQ(passed.method, "PATCH");
  EXPECT_EQ(passed.target, "/api/v1/pods?x=1");
  EXPECT_EQ(passed.body, "body");
  EXPECT_EQ(Duration(passed.timeout), seconds(7));
  EXPECT_EQ(passed.pool, ConnectionPool::kShort);
  EXPECT_EQ(passed.user, "");
  EXPECT_EQ(passed.headers.size(), 4U);
  EXPECT_EQ(passed.headers.Get("Accept"), "a/b");
  EXPECT_EQ(passed.headers.Get("Content-Type"), "c/d");
  EXPECT_EQ(passed.headers.Get("User-Agent"), "u");
  EXPECT_EQ(passed.headers.Get("If-None-Match"), "e");
}

TEST_F(RecorderTest, ListsAndWatches_HaveTheirConnections) {
  Record();
  for (const auto& [target, pool] : std::vector<std::pair<const char*, ConnectionPool>>{
           {"/api/v1/pods", ConnectionPool::kList},
           {"/api/v1/pods?watch=true", ConnectionPool::kWatch},
           {"/api/v1/namespaces/a/pods/b", ConnectionPool::kShort},
           {"/version", ConnectionPool::kShort},
       }) {
    const auto stream = Ask(target);
    EXPECT_EQ(up_->requests.back().pool, pool) << target;
  }
  EXPECT_EQ(recorder_->Stats().exchanges, 4U);
}

TEST_F(RecorderTest, Answer_IsPassedOnWithoutHeadersOfTheConnection) {
  Record();
  OpenReply open = Open("/api/v1/pods");
  EXPECT_EQ(open.reply().status, 0);
  HttpHeaders headers;
  for (const char* name :
       {"Connection", "Content-Length", "content-encoding", "Transfer-Encoding", "Keep-Alive",
        "Set-Cookie", "DATE", "WWW-Authenticate", "Audit-Id", "Content-Type", "Warning", "Dates"}) {
    headers.Add(name, "v");
  }
  sim_.RunFor(seconds(1));
  up_->Head(201, headers);
  EXPECT_EQ(open.wakes(), 1);
  open.Pull();
  EXPECT_EQ(open.reply().status, 201);
  ASSERT_EQ(open.reply().headers.size(), 3U);
  EXPECT_EQ(open.reply().headers.Get("Content-Type"), "v");
  EXPECT_EQ(open.reply().headers.Get("Warning"), "v");
  sim_.RunFor(seconds(1));
  up_->Data("one");
  EXPECT_EQ(open.wakes(), 2);
  up_->Data("two");
  EXPECT_EQ(open.wakes(), 2) << "once until it reads";
  open.Pull();
  EXPECT_EQ(open.reply().body, "onetwo");
  EXPECT_FALSE(open.ended());
  sim_.RunFor(seconds(1));
  up_->Done();
  EXPECT_EQ(open.wakes(), 3);
  open.Pull();
  EXPECT_TRUE(open.ended());
  EXPECT_FALSE(open.reply().aborted);

  const Recording written = Written();
  ASSERT_EQ(written.exchanges.size(), 1U);
  const RecordedExchange& exchange = written.exchanges[0];
  EXPECT_EQ(exchange.target, "/api/v1/pods");
  EXPECT_EQ(exchange.began, Duration(0));
  EXPECT_EQ(exchange.status, 201);
  EXPECT_EQ(exchange.head_at, seconds(1));
  ASSERT_EQ(exchange.chunks.size(), 2U);
  EXPECT_EQ(exchange.chunks[0].bytes, "one");
  EXPECT_EQ(exchange.chunks[0].at, seconds(2));
  EXPECT_EQ(exchange.chunks[1].bytes, "two");
  EXPECT_EQ(exchange.ended, seconds(3));
  EXPECT_TRUE(exchange.complete);
  EXPECT_EQ(recorder_->Stats().bytes, std::filesystem::file_size(path_));
}

TEST_F(RecorderTest, BrokenAnswer_IsCutAndRecordedAsIncomplete) {
  Record();
  sim_.RunFor(seconds(2));
  OpenReply open = Open("/api/v1/pods");
  up_->Head(200);
  up_->Data("a");
  up_->Done(Error(Reason::kUnexpectedEof, "cut"));
  open.Pull();
  EXPECT_EQ(open.reply().body, "a");
  EXPECT_TRUE(open.reply().aborted);
  const Recording written = Written();
  EXPECT_EQ(written.exchanges.at(0).began, seconds(2)) << "since the recording began";
  EXPECT_EQ(written.exchanges.at(0).ended, seconds(0));
  EXPECT_FALSE(written.exchanges.at(0).complete);
}

TEST_F(RecorderTest, ServerWithoutAnswer_Is502) {
  Record();
  OpenReply refused = Open("/api/v1/pods");
  up_->Done(Error(Reason::kConnectionRefused, "connection refused"));
  EXPECT_EQ(refused.wakes(), 1);
  refused.Pull();
  EXPECT_EQ(refused.reply().status, 502);
  EXPECT_FALSE(refused.reply().aborted);
  EXPECT_EQ(refused.reply().Json()["message"].StringOrEmpty(),
            "https://up does not answer: connection refused");
  EXPECT_EQ(refused.reply().headers.Get("Content-Type"), "application/json");
  OpenReply empty = Open("/api/v1/pods");
  up_->Done();
  empty.Pull();
  EXPECT_EQ(empty.reply().status, 502);
  EXPECT_EQ(empty.reply().Json()["message"].StringOrEmpty(),
            "https://up does not answer: no answer came");
  const Recording written = Written();
  ASSERT_EQ(written.exchanges.size(), 2U);
  EXPECT_FALSE(written.exchanges[0].complete);
}

TEST_F(RecorderTest, UnreadBytes_HaveALimit) {
  Record({.max_unread_bytes = 10});
  OpenReply fits = Open("/api/v1/pods");
  up_->Head(200);
  fits.Pull();
  for (const char* data : {"12345", "67890"}) up_->Data(data);
  fits.Pull();
  EXPECT_EQ(fits.reply().body, "1234567890");
  up_->Data("1234567890");
  up_->Done();
  fits.Pull();
  EXPECT_EQ(fits.reply().body, "12345678901234567890");
  EXPECT_TRUE(fits.ended());
  EXPECT_FALSE(fits.reply().aborted);

  OpenReply late = Open("/api/v1/pods");
  up_->Head(200);
  late.Pull();
  up_->Data("12345");
  up_->Data("678901");
  up_->Data("2");
  late.Pull();
  EXPECT_EQ(late.reply().body, "12345") << "what came before";
  EXPECT_TRUE(late.reply().aborted);
  up_->Done();
  const Recording written = Written();
  ASSERT_EQ(written.exchanges.size(), 2U);
  EXPECT_EQ(written.exchanges[1].chunks.size(), 3U) << "written all the same";
  EXPECT_TRUE(written.exchanges[1].complete);
}

TEST_F(RecorderTest, Read_TakesWholeChunksUpToTheLimit) {
  Record();
  const auto stream = Ask("/api/v1/pods");
  int wakes = 0;
  stream->SetWake([&] { ++wakes; });
  EXPECT_FALSE(stream->ready());
  up_->Head(200);
  EXPECT_TRUE(stream->ready());
  EXPECT_EQ(wakes, 1);
  for (const char* data : {"abc", "def", "g"}) up_->Data(data);
  EXPECT_EQ(wakes, 1) << "it does not wait";
  std::vector<BodyChunk> out;
  EXPECT_EQ(stream->Read(3, out), ResponseStream::State::kMore);
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(out[0].bytes, "abc");
  EXPECT_EQ(stream->Read(4, out), ResponseStream::State::kWait);
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[2].bytes, "g");
  up_->Done();
  EXPECT_EQ(wakes, 2);
  EXPECT_EQ(stream->Read(4, out), ResponseStream::State::kEnd);
}

TEST_F(RecorderTest, OnlyReads_ArePassedOn) {
  Record();
  for (const auto& [method, target] : std::vector<std::pair<const char*, const char*>>{
           {"POST", "/api/v1/pods"},
           {"DELETE", "/api/v1/pods"},
           {"GET", "/api/v1/namespaces/a/pods/p/exec"},
           {"GET", "/api/v1/namespaces/a/pods/p/attach"},
           {"GET", "/api/v1/namespaces/a/pods/p/portforward"},
           {"HEAD", "/api/v1/nodes/n/proxy/stats"},
       }) {
    OpenReply open = Open(target, method);
    EXPECT_EQ(open.reply().status, 405) << method << target;
    EXPECT_EQ(open.reply().Json()["message"].StringOrEmpty(),
              "a recorder passes on only what reads; --record-writes "
              "(RecorderOptions::allow_writes) lets it pass on the rest, with its own credentials");
  }
  EXPECT_EQ(Open("no path").reply().status, 400);
  EXPECT_TRUE(up_->requests.empty());
  EXPECT_EQ(recorder_->Stats().exchanges, 0U);
  const auto head = Ask("/api/v1/pods", "HEAD");
  EXPECT_EQ(up_->requests.at(0).method, "HEAD");
  EXPECT_EQ(recorder_->Stats().exchanges, 0U) << "only GET is recorded";
}

TEST_F(RecorderTest, Unrecorded_LeavesTheFileAlone) {
  Record();
  const auto size = std::filesystem::file_size(path_);
  EXPECT_EQ(size, kRecordingHeader.size());
  OpenReply secrets = Open("/api/v1/secrets");
  up_->Head(200);
  up_->Data("a");
  up_->Done();
  secrets.Pull();
  EXPECT_EQ(secrets.reply().body, "a");
  EXPECT_TRUE(secrets.ended());
  EXPECT_EQ(std::filesystem::file_size(path_), size);
  EXPECT_EQ(recorder_->Stats().bytes, size);
  // Numbers of exchanges begin with 1 and have no gaps.
  for (int i = 0; i < 2; ++i) {
    OpenReply open = Open("/api/v1/pods");
    up_->Done();
  }
  EXPECT_EQ(Contents().substr(size, 5), std::string("Q\1\0\0\0", 5));
  EXPECT_NE(Contents().find(std::string("Q\2\0\0\0", 5)), std::string::npos);
}

TEST_F(RecorderTest, Open_OfAnImpossiblePath_SaysWhy) {
  const auto message = [&](const std::string& path) {
    return std::string(Recorder::Open(sim_.env(), up_, path).error().message());
  };
  EXPECT_EQ(message("/nowhere/x"),
            "recording /nowhere/x cannot be written; is its folder there, and writable?");
  EXPECT_EQ(message("/dev/null"),
            "recording /dev/null is there already, and is no regular file of this user's alone: "
            "name another one");
  std::filesystem::create_symlink("/nowhere", path_);
  EXPECT_EQ(message(path_), "recording " + path_ + " is a link, which is not followed");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
