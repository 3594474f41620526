// A Recorder whose disk is full.

#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "kinformer/apiserver/recording.h"
#include "kinformer/base/simulation.h"

#include "apiserver/faults/recording_format.h"
#include "apiserver/faults/testing/scripted_upstream.h"
#include "apiserver/testing.h"
#include "base/core/testing/fields_log.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;

// Limits the size of files that this process writes.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t size) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = size;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(RecorderDisk, FullDisk_EndsTheRecordingButNotTheAnswers) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("kinformer-recorder-disk-test." + std::to_string(getpid())))
                               .string();
  const auto log = std::make_shared<internal::base::FieldsLog>();
  Simulation sim({.log = log});
  const auto up = std::make_shared<Upstream>();
  const auto recorder = Recorder::Open(sim.env(), up, path).OrExit();
  OpenReply open(sim, recorder->Handle({.method = "GET", .target = "/api/v1/pods?watch=1"}));
  up->Head(200);
  const auto size = std::filesystem::file_size(path);
  EXPECT_GT(size, kRecordingHeader.size());
  EXPECT_TRUE(log->lines.empty());
  {
    const SmallFiles small(size);
    up->Data("one");
    up->Data("two");
  }
  up->Data("three");
  EXPECT_EQ(std::filesystem::file_size(path), size) << "nothing more, not even later";
  EXPECT_THAT(log->lines, ElementsAre("recording ends: the file cannot be written file=" + path));
  open.Pull();
  EXPECT_EQ(open.reply().body, "onetwothree");
  EXPECT_FALSE(open.ended());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
