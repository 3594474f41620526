#include "cli/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Each error must be one line with a remedy.
TEST(Report, EveryErrorHasARemedyInOneLine) {
  const struct {
    Error error;
    std::vector<std::string> want;
  } kCases[] = {
      {Error(Reason::kForbidden,
             "pods is forbidden: User \"jane\" cannot list resource \"pods\" in API group \"\" in "
             "the namespace \"team\""),
       {"User \"jane\" cannot list", "kubectl auth can-i --list"}},
      {Error(Reason::kUnauthorized, "Unauthorized"),
       {"credentials of context dev", "log in again"}},
      {Error(Reason::kTooManyRequests, "slow down"), {"try again in a while"}},
      {Error(Reason::kServiceUnavailable, "starting"), {"try again in a while"}},
      {Error(Reason::kDeadlineExceeded, "no answer within 30 s"), {"overloaded"}},
      {Error(Reason::kTransport,
             "https://h: certificate is not trusted; set certificate-authority"),
       {"set certificate-authority"}},
  };
  for (const auto& c : kCases) {
    const std::string line = ErrorLine(c.error, "context dev of /home/u/.kube/config");
    EXPECT_EQ(line.rfind("error: ", 0), 0U) << line;
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    EXPECT_THAT(line, Not(HasSubstr("..")));
    for (const std::string& part : c.want) EXPECT_THAT(line, HasSubstr(part));
  }
}

TEST(Report, WithoutAKubeconfigItIsNotNamed) {
  EXPECT_THAT(
      ErrorLine(Error(Reason::kUnauthorized, "Unauthorized.")),
      HasSubstr("Unauthorized. The server does not accept the credentials of the kubeconfig"));
}

TEST(Report, UnexpectedServerResponse_TextIsShown) {
  Error error(Reason::kBadRequest, "the server rejected our request for an unknown reason");
  StatusDetails details;
  details.causes.push_back({"UnexpectedServerResponse", "plain HTTP sent to a TLS port", ""});
  error.WithDetails(details);
  EXPECT_THAT(ErrorLine(error), HasSubstr("unknown reason (plain HTTP sent to a TLS port)"));
}

TEST(Report, TextsOfServersCannotDriveTheTerminal) {
  EXPECT_EQ(ErrorLine(Error(Reason::kInternalError, "a\x1b[31m\nb\x7f\u009b\u202e")),
            R"(error: a\x1b[31m b\x7f\u009b\u202e)");
}

}  // namespace
}  // namespace kinformer::cli
