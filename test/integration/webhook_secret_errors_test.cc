// The Secret of webhook certificates: wrong options, errors of the server, and other replicas.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/webhook/webhook_certificates.h"

#include "integration/webhook_secret_fixture.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::hours;
using std::chrono::nanoseconds;
using ::testing::StartsWith;

TEST_F(WebhookSecret, Validate_NamesTheWrongOption) {
  struct Row {
    const char* error;  // empty: valid
    WebhookCertificatesOptions options;
  };
  const auto with = [](auto change) {
    WebhookCertificatesOptions options = Options();
    change(options);
    return options;
  };
  const std::string more = "WebhookCertificatesOptions::validity must be more than renew_before";
  for (const Row& row : std::vector<Row>{
           {"", Options()},
           {"WebhookCertificatesOptions::namespace_ is empty",
            with([](auto& o) { o.namespace_.clear(); })},
           {"WebhookCertificatesOptions::secret_name is empty",
            with([](auto& o) { o.secret_name.clear(); })},
           {"WebhookCertificatesOptions::hosts is empty", with([](auto& o) { o.hosts.clear(); })},
           {"WebhookCertificatesOptions::namespace_ is empty", WebhookCertificatesOptions()},
           {more.c_str(), with([](auto& o) { o.validity = hours(720) - nanoseconds(1); })},
           {more.c_str(), with([](auto& o) { o.validity = hours(720); })},
           {"", with([](auto& o) { o.validity = hours(720) + nanoseconds(1); })}}) {
    const Result<void> valid = WebhookCertificates(client_, row.options).Validate();
    EXPECT_EQ(valid.ok() ? "" : valid.error().message(), row.error);
    if (valid.ok()) continue;
    EXPECT_EQ(valid.error().reason(), Reason::kInvalidArgument) << row.error;
    EXPECT_EQ(Ensure(row.options).error().message(), row.error);
    EXPECT_FALSE(IsThere()) << row.error;
  }
}

TEST_F(WebhookSecret, Errors_NameTheSecret) {
  struct Row {
    const char* verb;
    int status;
    Reason reason;
  };
  for (const Row& row :
       {Row{"get", 403, Reason::kForbidden}, Row{"create", 403, Reason::kForbidden},
        Row{"create", 422, Reason::kInvalid}}) {
    SCOPED_TRACE(row.verb);
    server_.faults().Clear();
    server_.faults().Add({.verb = row.verb,
                          .resource = "secrets",
                          .action = FaultAction::kRespond,
                          .status = row.status});
    const Result<CertificatePair> failed = Ensure();
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().reason(), row.reason);
    EXPECT_THAT(failed.error().message(), StartsWith("Secret default/hooks-tls: "));
    server_.faults().Clear();
    EXPECT_FALSE(IsThere()) << "an unreadable Secret is not made";
  }
  static_cast<void>(Ensure().OrExit());
  Put(kNone);
  server_.faults().Add(
      {.verb = "update", .resource = "secrets", .action = FaultAction::kRespond, .status = 403});
  EXPECT_EQ(Ensure().error().reason(), Reason::kForbidden);
  EXPECT_EQ(Secret().data, kNone);
}

// Another replica was faster; the next attempt takes its result.
TEST_F(WebhookSecret, Conflicts_AreRetried) {
  const std::string exists =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"AlreadyExists",)"
      R"("code":409})";
  for (const std::string& text : {std::string(), exists}) {
    for (const char* verb : {"create", "update"}) {
      static_cast<void>(server_.Delete({"", "v1", "secrets"}, {"default", "hooks-tls"}));
      if (verb == std::string("update")) {
        static_cast<void>(Ensure().OrExit());
        Put(kNone);
      }
      server_.faults().Add({.verb = verb,
                            .resource = "secrets",
                            .action = FaultAction::kRespond,
                            .count = 1,
                            .status = 409,
                            .text = text,
                            .content_type = text.empty() ? "" : "application/json"});
      const Result<CertificatePair> pair = Ensure();
      ASSERT_TRUE(pair.ok()) << verb << ' ' << pair.error();
      EXPECT_EQ(Secret().data.at("tls.crt"), pair->cert_pem);
    }
  }
}

TEST_F(WebhookSecret, HostThatCannotBeCertified_IsAnError) {
  const Result<CertificatePair> failed = Ensure(Options({"a.default.svc,b"}));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().reason(), Reason::kConfig);
  EXPECT_THAT(failed.error().message(), StartsWith("Secret default/hooks-tls: "));
  EXPECT_FALSE(IsThere());
}

}  // namespace
}  // namespace kinformer::testing
