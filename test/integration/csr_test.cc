// Requests for certificates one by one: csr::RequestCertificate and csr::WaitForCertificate.

#include "kinformer/certificate/csr.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "kinformer/base/task.h"

#include "integration/certificate_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

class CsrTest : public SignedCertificates {
 protected:
  static std::string RequestFor(const std::string& key) {
    return cert::MakeCSR(key, {.common_name = "jane"}).OrExit();
  }
  static csr::RequestOptions Named(const std::string& name, const std::string& signer = kSigner) {
    csr::RequestOptions options;
    options.signer_name = signer;
    options.usages = {"client auth"};
    options.name = name;
    return options;
  }
  Error WaitError(const CallOptions& call = {}) {
    const csr::Requested made =
        csr::RequestCertificate(client_, RequestFor(key_), Named("")).OrExit();
    const Result<std::string> cert = csr::WaitForCertificate(client_, made, call);
    return cert.ok() ? Error(Reason::kUnknown, "signed") : cert.error();
  }

  const std::string key_ = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
};

TEST_F(CsrTest, CertificateIsThatOfTheSigner) {
  Run([&] {
    const csr::Requested made =
        csr::RequestCertificate(client_, RequestFor(key_), Named("mine")).OrExit();
    EXPECT_EQ(made.name, "mine");
    EXPECT_NE(made.uid, "");
    const std::string cert = csr::WaitForCertificate(client_, made).OrExit();
    EXPECT_EQ(UserOf({.cert_pem = cert, .key_pem = key_}), "jane");
    EXPECT_EQ(csr::WaitForCertificate(client_, made).OrExit(), cert) << "it is there already";
  });
}

Task<Result<std::string>> Ask(Client client, std::string request, csr::RequestOptions options) {
  Result<csr::Requested> made = co_await csr::AsyncRequestCertificate(client, request, options);
  if (!made) co_return made.error();
  co_return co_await csr::AsyncWaitForCertificate(client, *made).WithTimeout(minutes(1));
}

TEST_F(CsrTest, TasksAwaitIt) {
  std::string cert;
  Spawn<Result<std::string>>(sim_.env(), sim_.env().loop(),
                             Ask(client_, RequestFor(key_), Named("")),
                             [&](Result<std::string> got) { cert = std::move(got).OrExit(); });
  ASSERT_TRUE(sim_.RunUntil([&] { return !cert.empty(); }, minutes(1)));
  EXPECT_EQ(UserOf({.cert_pem = cert, .key_pem = key_}), "jane");
}

TEST_F(CsrTest, NameOfOnesOwn_IsTakenAgainForTheSameKeyOnly) {
  Run([&] {
    decision_ = Decision::kIgnore;
    const auto first = csr::RequestCertificate(client_, RequestFor(key_), Named("mine")).OrExit();
    const auto again = csr::RequestCertificate(client_, RequestFor(key_), Named("mine")).OrExit();
    EXPECT_EQ(again.uid, first.uid);
    const std::string other = keyutil::MakeEllipticPrivateKeyPEM().OrExit();
    for (const auto& refused :
         {csr::RequestCertificate(client_, RequestFor(other), Named("mine")),
          csr::RequestCertificate(client_, RequestFor(key_), Named("mine", "example.com/a"))}) {
      ASSERT_FALSE(refused);
      EXPECT_TRUE(IsAlreadyExists(refused.error()));
      EXPECT_THAT(refused.error().message(), HasSubstr("\"mine\" is for another key or signer"));
    }
  });
}

TEST_F(CsrTest, Refusals_AreQuoted) {
  Run([&] {
    decision_ = Decision::kDeny;
    const Error denied = WaitError();
    EXPECT_TRUE(IsForbidden(denied));
    EXPECT_THAT(denied.message(), HasSubstr("was denied: reason \"Unknown\", message \"not you\""));
    decision_ = Decision::kFail;
    const Error failed = WaitError();
    EXPECT_EQ(failed.reason(), Reason::kInvalid);
    EXPECT_THAT(failed.message(), HasSubstr("has failed: reason \"Weak\", message \"not so\""));
    decision_ = Decision::kDelete;
    const Error deleted = WaitError();
    EXPECT_TRUE(IsNotFound(deleted));
    EXPECT_THAT(deleted.message(), HasSubstr("was deleted"));
  });
}

TEST_F(CsrTest, ObjectOfTheSameNameLater_IsNotTheRequest) {
  Run([&] {
    const auto made = csr::RequestCertificate(client_, RequestFor(key_), Named("mine")).OrExit();
    const Result<std::string> cert =
        csr::WaitForCertificate(client_, csr::Requested{.name = made.name, .uid = "another"});
    ASSERT_FALSE(cert);
    EXPECT_TRUE(IsNotFound(cert.error()));
    EXPECT_THAT(cert.error().message(), HasSubstr("another one has its name"));
  });
}

TEST_F(CsrTest, TimeoutAndStop_EndTheWait) {
  Run([&] {
    decision_ = Decision::kIgnore;
    const SteadyTime begun = sim_.env().Now();
    CallOptions call;
    call.timeout = minutes(3);
    EXPECT_EQ(WaitError(call).reason(), Reason::kDeadlineExceeded);
    EXPECT_GE(sim_.env().Now() - begun, minutes(3));
    EXPECT_LT(sim_.env().Now() - begun, minutes(3) + seconds(5));
    std::stop_source stop;
    stop.request_stop();
    call.stop = stop.get_token();
    EXPECT_EQ(WaitError(call).reason(), Reason::kCanceled);
  });
}

}  // namespace
}  // namespace kinformer::testing
