// Metrics of the certificates of credential plugins.

#include "config/plugin_certificate.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "kinformer/base/simulation.h"

#include "transport/tls_material.h"

namespace kinformer::internal::config {
namespace {

using std::chrono::days;
using std::chrono::seconds;
using std::chrono::sys_days;
using ::testing::HasSubstr;
using ::testing::Not;

// Valid from 2026-01-01 to 2026-02-01.
constexpr char kJanuary[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIH/MIGmAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWEwHhcNMjYwMTAxMDAw\n"
    "MDAwWhcNMjYwMjAxMDAwMDAwWjAMMQowCAYDVQQDDAFhMFkwEwYHKoZIzj0CAQYI\n"
    "KoZIzj0DAQcDQgAExq9Q+1qVHTVElev5B9/6Dv5p95yk9A2hAvdmD7CGQrFw44gc\n"
    "ZEeVQJKJj2OZoEXqaKWt1lXUkNQNkSahgdE8NDAKBggqhkjOPQQDAgNIADBFAiEA\n"
    "x7YXaPKW08ZswnZdH819WkxU93s9cJg4WqD4qthG7RYCIGDmRZkRB2jDHciIwCB1\n"
    "Qext4/tneAKlR0fKTQ1BW2KM\n"
    "-----END CERTIFICATE-----\n";
// Valid from 2026-01-15 to 2026-04-01.
constexpr char kSpring[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIH/MIGmAgECMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAWIwHhcNMjYwMTE1MDAw\n"
    "MDAwWhcNMjYwNDAxMDAwMDAwWjAMMQowCAYDVQQDDAFiMFkwEwYHKoZIzj0CAQYI\n"
    "KoZIzj0DAQcDQgAExq9Q+1qVHTVElev5B9/6Dv5p95yk9A2hAvdmD7CGQrFw44gc\n"
    "ZEeVQJKJj2OZoEXqaKWt1lXUkNQNkSahgdE8NDAKBggqhkjOPQQDAgNIADBFAiBU\n"
    "aNCV2aip4vW+XaZf/rkUgcTOdRapOjUYfiIX/xWjogIhANi1TFUdsjT9UsW8xe3Q\n"
    "CnSUb+n1pmX2ES7bDDtqwP61\n"
    "-----END CERTIFICATE-----\n";
// Valid from 2026-01-01 to the last second of 9999.
constexpr char kForever[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBAjCBqAIBAzAKBggqhkjOPQQDAjAMMQowCAYDVQQDDAFjMCAXDTI2MDEwMTAw\n"
    "MDAwMFoYDzk5OTkxMjMxMjM1OTU5WjAMMQowCAYDVQQDDAFjMFkwEwYHKoZIzj0C\n"
    "AQYIKoZIzj0DAQcDQgAExq9Q+1qVHTVElev5B9/6Dv5p95yk9A2hAvdmD7CGQrFw\n"
    "44gcZEeVQJKJj2OZoEXqaKWt1lXUkNQNkSahgdE8NDAKBggqhkjOPQQDAgNJADBG\n"
    "AiEAtdv2XCVwXtHhGiMB800telk1yNoX2Tftm3iWOeSwhhgCIQC1p4VxvnJLvLZL\n"
    "RlKK2jQtHFEoRgZVmP2lmCsOllWFNw==\n"
    "-----END CERTIFICATE-----\n";
// Valid on 1970-01-01.
constexpr char kFirstDay[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBADCBpgIBBDAKBggqhkjOPQQDAjAMMQowCAYDVQQDDAFkMB4XDTcwMDEwMTAw\n"
    "MDAwMFoXDTcwMDEwMjAwMDAwMFowDDEKMAgGA1UEAwwBZDBZMBMGByqGSM49AgEG\n"
    "CCqGSM49AwEHA0IABMavUPtalR01RJXr+Qff+g7+afecpPQNoQL3Zg+whkKxcOOI\n"
    "HGRHlUCSiY9jmaBF6milrdZV1JDUDZEmoYHRPDQwCgYIKoZIzj0EAwIDSQAwRgIh\n"
    "AJ2vjSvmaLEPY9/RfQpY30x+i8PCUv2KI/INfkvx7Sa9AiEAyLZNnFLPGJMjQ/tN\n"
    "Dml6Nn6vZC8xyyDC9zLv/IVaESk=\n"
    "-----END CERTIFICATE-----\n";

constexpr char kTimeLeft[] = "rest_client_exec_plugin_ttl_seconds ";
constexpr char kAge[] = "rest_client_exec_plugin_certificate_rotation_age";

class PluginCertificateTest : public ::testing::Test {
 protected:
  void Use(const std::string& pem) {
    certificate_.Use(sim_.env(), pem, transport::TimesOfCertificate(pem));
  }
  [[nodiscard]] std::string TimeLeft() const {
    const std::string text = "\n" + metrics_->Text();
    const std::size_t at = text.find(std::string("\n") + kTimeLeft);
    if (at == std::string::npos) return "none";
    const std::size_t from = at + std::string(kTimeLeft).size() + 1;
    return text.substr(from, text.find('\n', from) - from);
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_, .start = sys_days(std::chrono::year(2026) / 1 / 21)}};
  PluginCertificate certificate_;
};

TEST_F(PluginCertificateTest, TheTimeLeft_IsThatOfTheLastCertificate) {
  EXPECT_EQ(TimeLeft(), "none");
  Use(kJanuary);
  EXPECT_EQ(TimeLeft(), std::to_string(11 * 86400));
  sim_.RunFor(days(10));
  certificate_.SetTimeLeft(sim_.env());
  EXPECT_EQ(TimeLeft(), std::to_string(86400));
  sim_.RunFor(days(1) + seconds(5));
  certificate_.SetTimeLeft(sim_.env());
  EXPECT_EQ(TimeLeft(), "-5") << "it has expired";
  Use("");
  EXPECT_EQ(TimeLeft(), "+Inf") << "the plugin gives tokens from now on";
}

TEST_F(PluginCertificateTest, TheEarliestExpiryOfSeveralPlugins_IsReported_EX19) {
  Use(kSpring);
  {
    PluginCertificate other;
    other.Use(sim_.env(), kJanuary, transport::TimesOfCertificate(kJanuary));
    EXPECT_EQ(TimeLeft(), std::to_string(11 * 86400));
    certificate_.SetTimeLeft(sim_.env());
    EXPECT_EQ(TimeLeft(), std::to_string(11 * 86400)) << "a request of the first plugin's client";
    Simulation elsewhere({.metrics = NewTextMetrics()});
    PluginCertificate third;
    third.Use(elsewhere.env(), kFirstDay, transport::TimesOfCertificate(kFirstDay));
    certificate_.SetTimeLeft(sim_.env());
    EXPECT_EQ(TimeLeft(), std::to_string(11 * 86400)) << "it reports to another sink";
  }
  certificate_.SetTimeLeft(sim_.env());
  EXPECT_EQ(TimeLeft(), std::to_string(70 * 86400)) << "the other plugin's client has ended";
  Use("");
  EXPECT_EQ(TimeLeft(), "+Inf");
}

TEST_F(PluginCertificateTest, AReplacedCertificate_IsObservedWithItsAge) {
  Use(kJanuary);
  Use(kJanuary);
  EXPECT_THAT(metrics_->Text(), Not(HasSubstr(kAge))) << "the same one again";
  Use(kSpring);
  std::string text = metrics_->Text();
  EXPECT_THAT(text, HasSubstr(std::string(kAge) + "_sum " + std::to_string(20 * 86400) + "\n"));
  EXPECT_THAT(text, HasSubstr(std::string(kAge) + "_count 1\n"));
  EXPECT_THAT(text, HasSubstr(std::string(kAge) + "_bucket{le=\"604800\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(std::string(kAge) + "_bucket{le=\"2592000\"} 1\n"));
  EXPECT_EQ(TimeLeft(), std::to_string(70 * 86400));
  Use("");
  EXPECT_THAT(metrics_->Text(), HasSubstr(std::string(kAge) + "_count 2\n"));
  Use(kJanuary);
  EXPECT_THAT(metrics_->Text(), HasSubstr(std::string(kAge) + "_count 2\n"))
      << "there was none before";
}

TEST_F(PluginCertificateTest, Tokens_LeaveNoTrace) {
  Use("");
  Use("");
  certificate_.SetTimeLeft(sim_.env());
  EXPECT_THAT(metrics_->Text(), Not(HasSubstr("rest_client_exec_plugin")));
}

TEST(CertificateTimes, AreReadFromPem) {
  const auto january = transport::TimesOfCertificate(kJanuary);
  ASSERT_TRUE(january);
  EXPECT_EQ(january->not_before, 1767225600);
  EXPECT_EQ(january->not_after, 1769904000);
  const auto forever = transport::TimesOfCertificate(kForever);
  ASSERT_TRUE(forever);
  EXPECT_EQ(forever->not_after, 253402300799);
  for (const char* text : {"", "x", "-----BEGIN CERTIFICATE-----"}) {
    EXPECT_FALSE(transport::TimesOfCertificate(text)) << text;
  }
}

}  // namespace
}  // namespace kinformer::internal::config
