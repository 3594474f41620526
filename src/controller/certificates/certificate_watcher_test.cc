// Certificates in files that change, in simulated time.

#include "kinformer/endpoints/certificate_watcher.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "controller/certificates/folder_for_test.h"

namespace kinformer::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class CertificateWatcherTest : public ::testing::Test {
 protected:
  CertificateWatcherTest() { folder_.Write(first_); }
  void Start() {
    watcher_ = CertificateWatcher::New(sim_.env(), folder_.files()).OrExit();
    watcher_->SetCallback([this](const CertificatePair& pair) { told_.push_back(pair); });
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
  CertificateFolder folder_{};
  const CertificatePair first_ = folder_.Make();
  const CertificatePair second_ = folder_.Make();
  std::vector<CertificatePair> told_{};
  std::unique_ptr<CertificateWatcher> watcher_{};

  void TearDown() override {
    ASSERT_TRUE(sim_.RunBlocking([this] { watcher_.reset(); }, seconds(60)));
  }
};

TEST_F(CertificateWatcherTest, FilesThatAreWrittenAnew_WH02) {
  Start();
  EXPECT_EQ(told_, std::vector{first_});
  sim_.RunFor(seconds(60));
  EXPECT_EQ(told_.size(), 1U);
  folder_.Write(second_);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(told_, (std::vector{first_, second_}));
  EXPECT_EQ(watcher_->Current(), second_);
  EXPECT_THAT(metrics_->Text(), HasSubstr("certwatcher_read_certificate_total 8"));
  EXPECT_THAT(metrics_->Text(), HasSubstr("certwatcher_read_certificate_errors_total 0"));
}

TEST_F(CertificateWatcherTest, FilesThatAreReplacedOrAreAwayForAWhile_WH02) {
  Start();
  folder_.Rename(second_);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(watcher_->Current(), second_);
  folder_.Remove("tls.crt");
  sim_.RunFor(seconds(10));
  EXPECT_EQ(watcher_->Current(), second_);
  EXPECT_THAT(metrics_->Text(), HasSubstr("certwatcher_read_certificate_errors_total 1"));
  folder_.Write(first_);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(watcher_->Current(), first_);
  EXPECT_EQ(told_, (std::vector{first_, second_, first_}));
}

TEST_F(CertificateWatcherTest, ABadPairKeepsTheOldOne_WH02) {
  Start();
  folder_.Write("tls.key", second_.key_pem);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(watcher_->Current(), first_);
  folder_.Write({"nonsense", "nonsense"});
  sim_.RunFor(seconds(10));
  EXPECT_EQ(watcher_->Current(), first_);
  EXPECT_EQ(told_.size(), 1U);
  EXPECT_THAT(metrics_->Text(), HasSubstr("certwatcher_read_certificate_errors_total 2"));
  folder_.Write(second_);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(told_, (std::vector{first_, second_}));
}

TEST_F(CertificateWatcherTest, CallbackThrows_NextPairIsTold) {
  watcher_ = CertificateWatcher::New(sim_.env(), folder_.files()).OrExit();
  watcher_->SetCallback([this](const CertificatePair& pair) {
    told_.push_back(pair);
    throw std::runtime_error("no");
  });
  folder_.Write(second_);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(told_, (std::vector{first_, second_}));
  EXPECT_EQ(watcher_->Current(), second_);
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"certificate callback\"} 2"));
}

TEST_F(CertificateWatcherTest, Watcher_WithoutGoodPair_IsNotMade) {
  for (const CertificateFiles& files :
       {CertificateFiles{"/nowhere/tls.crt", "/nowhere/tls.key"}, CertificateFiles{}}) {
    EXPECT_EQ(CertificateWatcher::New(sim_.env(), files).error().reason(), Reason::kConfig);
  }
  folder_.Write("tls.key", second_.key_pem);
  const auto mixed = CertificateWatcher::New(sim_.env(), folder_.files());
  EXPECT_EQ(mixed.error().reason(), Reason::kConfig);
  EXPECT_THAT(mixed.error().message(), HasSubstr("tls.crt"));
}

}  // namespace
}  // namespace kinformer::testing
