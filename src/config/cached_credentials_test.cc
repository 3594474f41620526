// Cached credentials: when they are obtained again, who shares them, and when the work is given up.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "base/core/env_view.h"
#include "base/core/testing/fields_log.h"
#include "base/loop/testing/unserved_executor.h"
#include "config/credentials.h"
#include "config/testing/kubeconfig_texts.h"
#include "config/testing/plugins.h"
#include "transport/awaited_source.h"

namespace kinformer::internal::config {
namespace {

using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// Keeps blocking work until the test runs it.
class HeldWork final : public Executor {
 public:
  void Post(Closure task) override { tasks_.push_back(std::move(task)); }
  [[nodiscard]] Timer RunAt(SteadyTime, Closure) override { return {}; }
  [[nodiscard]] bool InThisExecutor() const override { return false; }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  void Run() {
    for (Closure& task : std::exchange(tasks_, {})) task();
  }

 private:
  std::vector<Closure> tasks_{};
};

class CachedCredentialsTest : public ::testing::Test {
 protected:
  // Returns the answer: "" while the work is held.
  std::string Fetch() {
    std::string out;
    source_->Fetch(env_, [&out](const Result<Credentials>& got) {
      out = got ? got->authorization : got.error().message();
    });
    if (!out.empty()) return out;
    EXPECT_EQ(work_.size(), 1U);
    work_.Run();
    sim_.RunReady();
    return "obtained " + out;
  }
  void FetchFor(const void* who) {
    dynamic_cast<transport::AwaitedSource&>(*source_).FetchFor(who, env_, [this](const auto& got) {
      answers_ += got ? got->authorization + ";" : "error;";
    });
  }
  void Forget(const void* who) {
    dynamic_cast<transport::AwaitedSource&>(*source_).Forget(who, env_);
  }
  void RunWork() {
    work_.Run();
    sim_.RunReady();
  }
  void UseFile(const std::string& fallback = {}) {
    source_ = NewTokenFileCredentials(path_, fallback);
  }
  void Write(const std::string& token) { static_cast<void>(folder_.Write("token", token)); }

  const std::shared_ptr<base::FieldsLog> log_ = std::make_shared<base::FieldsLog>();
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
  HeldWork work_;
  base::LoopWithOwnWork loop_{sim_.env(), work_};
  base::EnvView env_{sim_.env(), loop_};
  const Folder folder_;
  const std::string path_ = folder_.path() + "/token";
  std::shared_ptr<CredentialSource> source_{};
  std::string answers_{};
};

TEST_F(CachedCredentialsTest, TokenFile_IsReadEach50Seconds) {
  UseFile();
  EXPECT_TRUE(source_->CanRefresh());
  sim_.RunFor(seconds(20));
  Write("one");
  EXPECT_EQ(Fetch(), "obtained Bearer one");
  Write("two");
  sim_.RunFor(seconds(50) - nanoseconds(1));
  EXPECT_EQ(Fetch(), "Bearer one");
  sim_.RunFor(nanoseconds(1));
  EXPECT_EQ(Fetch(), "obtained Bearer two");
  EXPECT_EQ(Fetch(), "Bearer two");
  sim_.RunFor(seconds(50));
  EXPECT_EQ(Fetch(), "obtained Bearer two");
  EXPECT_EQ(log_->text(), "");
}

TEST_F(CachedCredentialsTest, RefusedToken_IsReadOnceAgain) {
  UseFile();
  source_->Rejected("Bearer one");
  Write("one");
  EXPECT_EQ(Fetch(), "obtained Bearer one");
  source_->Rejected("Bearer other");
  source_->Rejected("");
  EXPECT_EQ(Fetch(), "Bearer one");
  source_->Rejected("Bearer one");
  EXPECT_EQ(Fetch(), "obtained Bearer one");
  EXPECT_EQ(Fetch(), "Bearer one");
  Write("two");
  source_->Rejected("Bearer one");
  EXPECT_EQ(Fetch(), "obtained Bearer two");
  source_->Rejected("Bearer one");
  EXPECT_EQ(Fetch(), "Bearer two");
}

TEST_F(CachedCredentialsTest, UnreadableFile_LeavesTheOldTokenAndIsLogged) {
  UseFile();
  const std::string missing = "cannot read token file " + path_ + ": No such file or directory";
  EXPECT_EQ(Fetch(), "obtained " + missing);
  EXPECT_EQ(Fetch(), "obtained " + missing);
  Write(" ");
  EXPECT_EQ(Fetch(), "obtained token file " + path_ + ": the token is empty");
  EXPECT_EQ(log_->text(), "");
  Write("one");
  EXPECT_EQ(Fetch(), "obtained Bearer one");
  std::filesystem::remove(path_);
  sim_.RunFor(seconds(50));
  EXPECT_EQ(Fetch(), "obtained Bearer one");
  EXPECT_EQ(log_->text(), "cannot renew credentials, using the old ones err=" + missing + "\n");
}

TEST_F(CachedCredentialsTest, LiteralToken_ServesUntilTheFileDoes) {
  UseFile("literal");
  EXPECT_EQ(Fetch(), "obtained Bearer literal");
  EXPECT_EQ(Fetch(), "obtained Bearer literal") << "it is not kept";
  EXPECT_EQ(log_->Count("using the old ones"), 2U);
  Write("file");
  EXPECT_EQ(Fetch(), "obtained Bearer file");
  std::filesystem::remove(path_);
  sim_.RunFor(seconds(50));
  EXPECT_EQ(Fetch(), "obtained Bearer file");
}

TEST_F(CachedCredentialsTest, CallersWhileTheWorkRuns_ShareItsAnswer) {
  UseFile();
  Write("one");
  int who[3] = {};
  for (const int& each : who) FetchFor(&each);
  FetchFor(nullptr);
  EXPECT_EQ(work_.size(), 1U);
  Forget(&who[1]);
  Forget(&answers_);
  RunWork();
  EXPECT_EQ(answers_, "Bearer one;Bearer one;Bearer one;");
  FetchFor(&who[0]);
  EXPECT_EQ(answers_, "Bearer one;Bearer one;Bearer one;Bearer one;");
  EXPECT_EQ(work_.size(), 0U);
}

TEST_F(CachedCredentialsTest, WorkThatNobodyAwaits_IsGivenUpAfter10Seconds) {
  UseFile();
  Write("one");
  const int who[2] = {};
  FetchFor(&who[0]);
  FetchFor(&who[1]);
  Forget(&who[0]);
  sim_.RunFor(minutes(1));
  FetchFor(&who[0]);
  EXPECT_EQ(work_.size(), 1U) << "another caller waited";
  Forget(&who[0]);
  Forget(&who[1]);
  sim_.RunFor(seconds(10) - nanoseconds(1));
  FetchFor(&who[0]);
  EXPECT_EQ(work_.size(), 1U) << "joined in time";
  sim_.RunFor(minutes(1));
  EXPECT_EQ(work_.size(), 1U);
  Forget(&who[0]);
  sim_.RunFor(seconds(10));
  FetchFor(&who[1]);
  EXPECT_EQ(work_.size(), 2U) << "begun anew";
  RunWork();
  EXPECT_EQ(answers_, "Bearer one;");
}

TEST_F(CachedCredentialsTest, WorkWhoseCallersLeft_FillsTheCacheIfItEndsInTime) {
  UseFile();
  Write("one");
  const int who = 0;
  FetchFor(&who);
  Forget(&who);
  RunWork();
  EXPECT_EQ(answers_, "");
  EXPECT_EQ(Fetch(), "Bearer one");
  source_->Rejected("Bearer one");
  FetchFor(&who);
  sim_.RunFor(minutes(1));
  RunWork();
  EXPECT_EQ(answers_, "Bearer one;") << "an earlier Forget does not end later work";
}

TEST_F(CachedCredentialsTest, PluginThatNobodyAwaits_IsStopped) {
  source_ = NewExecCredentials(ScriptPlugin(folder_, "exec sleep 100"), {});
  const int who = 0;
  FetchFor(&who);
  Forget(&who);
  sim_.RunFor(seconds(10));
  RunWork();  // ends at once
  EXPECT_EQ(answers_, "");
}

TEST_F(CachedCredentialsTest, Source_EndsItsWork) {
  source_ = NewExecCredentials(ScriptPlugin(folder_, "exec sleep 100"), {});
  FetchFor(nullptr);
  source_.reset();
  RunWork();  // ends at once
  EXPECT_EQ(answers_, "");
}

// PluginCertificateTest has the metrics' values.
TEST_F(CachedCredentialsTest, PluginWithCertificates_IsSeenInTheMetrics) {
  const transport::TestCertificate ca = transport::MakeTestCa("ca");
  const auto say = [&](int days) {
    static_cast<void>(folder_.Write(
        "answer",
        CertificateAnswer(kPluginVersion, transport::MakeTestCertificate(ca, "client", days))));
  };
  const auto left = [&] {
    const std::string name = "\nrest_client_exec_plugin_ttl_seconds ";
    const std::string text = metrics_->Text();
    const std::size_t at = text.find(name);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size()));
  };
  source_ = NewExecCredentials(ScriptPlugin(folder_, "exec cat " + folder_.path() + "/answer"), {});
  say(30);
  FetchFor(nullptr);
  RunWork();
  const double first = left();
  EXPECT_GT(first, 0) << metrics_->Text();
  sim_.RunFor(seconds(400));
  FetchFor(nullptr);
  EXPECT_NEAR(left(), first - 400, 1) << "each request sets it";
  source_->Rejected("");
  say(60);
  FetchFor(nullptr);
  RunWork();
  constexpr double kDays = 30.0 * 24 * 3600;
  EXPECT_NEAR(left(), first - 400 + kDays, 60);
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("rest_client_exec_plugin_certificate_rotation_age_count 1\n"));
  EXPECT_EQ(answers_, ";;;");
}

TEST_F(CachedCredentialsTest, Plugin_RunsAgainAfterTheExpiry) {
  const std::string answer = folder_.path() + "/answer";
  const auto say = [&](const std::string& status) {
    static_cast<void>(folder_.Write("answer", PluginAnswer(status)));
  };
  // The wall clock of the simulation begins at 1970-01-01.
  source_ = NewExecCredentials(ScriptPlugin(folder_, "exec cat " + answer), {});
  EXPECT_TRUE(source_->CanRefresh());
  say(R"({"token":"a","expirationTimestamp":"1970-01-01T00:01:40Z"})");
  EXPECT_EQ(Fetch(), "obtained Bearer a");
  say(R"({"token":"b"})");
  sim_.RunFor(seconds(100));
  EXPECT_EQ(Fetch(), "Bearer a") << "good until then";
  sim_.RunFor(nanoseconds(1));
  EXPECT_EQ(Fetch(), "obtained Bearer b");
  sim_.RunFor(std::chrono::hours(10000));
  EXPECT_EQ(Fetch(), "Bearer b") << "no expiry";
  source_->Rejected("Bearer b");
  static_cast<void>(folder_.Write("answer", ""));
  EXPECT_EQ(Fetch(),
            "obtained credential plugin " + folder_.path() + "/plugin: its output is not JSON");
  EXPECT_EQ(log_->text(), "");
}

}  // namespace
}  // namespace kinformer::internal::config
