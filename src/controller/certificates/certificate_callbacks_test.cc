// Callbacks of a certificate watcher, one at a time, and files that it cannot use.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/endpoints/certificate_watcher.h"

#include "base/core/testing/fields_log.h"
#include "controller/certificates/folder_for_test.h"

namespace kinformer::testing {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CertificateCallbacks : public ::testing::Test {
 protected:
  CertificateCallbacks() {
    folder_.Write(first_);
    watcher_ = CertificateWatcher::New(sim_.env(), folder_.files()).OrExit();
  }
  void TearDown() override {
    const SteadyTime before = sim_.env().Now();
    ASSERT_TRUE(sim_.RunBlocking([this] { watcher_.reset(); }, seconds(60)));
    EXPECT_EQ(sim_.env().Now(), before) << "its end waits for no interval";
  }
  // Returns a callback that takes `length`, and records when it begins and ends.
  std::function<void(const CertificatePair&)> Recorder(const std::string& name, Duration length) {
    return [this, name, length](const CertificatePair& pair) {
      const std::string what = name + (pair == first_ ? " first" : " second");
      Record(what + " begins");
      sim_.env().SleepFor(length);
      Record(what + " ends");
    };
  }
  void Record(const std::string& what) {
    told_.push_back(std::to_string((sim_.env().Now() - start_) / seconds(1)) + " " + what);
  }

  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
  const SteadyTime start_ = sim_.env().Now();
  CertificateFolder folder_{};
  const CertificatePair first_ = folder_.Make();
  const CertificatePair second_ = folder_.Make();
  std::unique_ptr<CertificateWatcher> watcher_{};
  std::vector<std::string> told_{};
};

TEST_F(CertificateCallbacks, NewPair_WaitsForTheCallOfThePairBefore) {
  const auto setter = sim_.env().NewThread(
      "setter", [this] { watcher_->SetCallback(Recorder("one", seconds(15))); });
  sim_.RunFor(seconds(1));
  folder_.Write(second_);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(watcher_->Current(), second_) << "no call delays it";
  EXPECT_THAT(told_, ElementsAre("0 one first begins"));
  sim_.RunFor(seconds(25));
  EXPECT_THAT(told_, ElementsAre("0 one first begins", "15 one first ends", "15 one second begins",
                                 "30 one second ends"));
}

TEST_F(CertificateCallbacks, NewCallback_WaitsForTheCallOfTheOneBefore) {
  const auto one =
      sim_.env().NewThread("one", [this] { watcher_->SetCallback(Recorder("one", seconds(5))); });
  sim_.RunFor(seconds(1));
  const auto two =
      sim_.env().NewThread("two", [this] { watcher_->SetCallback(Recorder("two", seconds(2))); });
  sim_.RunFor(seconds(8));
  EXPECT_THAT(told_, ElementsAre("0 one first begins", "5 one first ends", "5 two first begins",
                                 "7 two first ends"));
  folder_.Write(second_);
  sim_.RunFor(seconds(11));
  EXPECT_EQ(told_.size(), 6U);
  EXPECT_EQ(told_.back(), "12 two second ends") << "the one before is not called any more";
}

TEST_F(CertificateCallbacks, WithoutCallback_PairIsRenewed) {
  folder_.Write(second_);
  sim_.RunFor(seconds(10) - nanoseconds(1));
  EXPECT_EQ(watcher_->Current(), first_);
  sim_.RunFor(nanoseconds(1));
  EXPECT_EQ(watcher_->Current(), second_);
  watcher_->SetCallback({});
  folder_.Write(first_);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(watcher_->Current(), first_);
  EXPECT_THAT(metrics_->Text(), Not(HasSubstr("kinformer_user_exceptions_total{")));
  EXPECT_EQ(log_->text(), "");
}

TEST_F(CertificateCallbacks, UnusableFiles_ErrorNamesFile) {
  const CertificateFiles files = folder_.files();
  const auto error = [&] { return CertificateWatcher::New(sim_.env(), files).error().ToString(); };
  folder_.Remove("tls.key");
  EXPECT_THAT(error(), StartsWith("Config: " + files.key_file + ": "));
  folder_.Remove("tls.crt");
  EXPECT_THAT(error(), StartsWith("Config: " + files.cert_file + ": "));
  sim_.RunFor(seconds(10));
  EXPECT_EQ(log_->Count("cannot read the certificate; the one before stays err=Config: " +
                        files.cert_file + ": "),
            1U)
      << log_->text();
  folder_.Write({"", ""});
  EXPECT_THAT(error(), StartsWith("Config: ")) << "a server needs a certificate";
  folder_.Write({first_.cert_pem, second_.key_pem});
  EXPECT_THAT(error(), HasSubstr(files.cert_file + " with " + files.key_file));
  constexpr std::size_t kLimit = std::size_t{1} << 20;
  const auto padded = [&](std::size_t size) {
    return first_.cert_pem + std::string(size - first_.cert_pem.size(), '\n');
  };
  folder_.Write({padded(kLimit), first_.key_pem});
  EXPECT_TRUE(sim_.RunBlocking(
      [&] { EXPECT_TRUE(CertificateWatcher::New(sim_.env(), files).ok()); }, seconds(1)));
  folder_.Write({padded(kLimit + 1), first_.key_pem});
  EXPECT_THAT(error(), StartsWith("Config: " + files.cert_file + ": "));
}

}  // namespace
}  // namespace kinformer::testing
