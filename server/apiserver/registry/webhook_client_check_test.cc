#include "apiserver/registry/webhook_client_check.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kForm = "; desired format: https://host[/path]";

// Returns the problems of a clientConfig, one a line, without the name of its field.
std::string Problems(std::string_view config) {
  std::string out;
  for (const StatusCause& cause : CheckWebhookClient(yaml::Parse(config).OrExit(), "c")) {
    EXPECT_EQ(cause.field.substr(0, 1), "c");
    out += cause.field.substr(1) + ": " + cause.message + "\n";
  }
  return out;
}

TEST(WebhookClientCheck, Client_HasAUrlOrAService) {
  constexpr std::string_view kOne = ": Required value: exactly one of url or service is required\n";
  EXPECT_EQ(Problems("{}"), kOne);
  EXPECT_EQ(Problems("{url: null, service: null}"), kOne);
  EXPECT_EQ(Problems("{url: 'https://a', service: {name: a, namespace: b}}"), kOne);
  EXPECT_EQ(Problems("{url: 'https://a'}"), "");
  EXPECT_EQ(Problems("{service: {name: a, namespace: b}}"), "");
  EXPECT_EQ(Problems("{url: 'https://a', service: null}"), "");
  EXPECT_EQ(CheckWebhookClient(yaml::Parse("{}").OrExit(), "c").at(0).reason, "FieldValueRequired");
  EXPECT_EQ(CheckWebhookClient(yaml::Parse("{url: x}").OrExit(), "c").at(0).reason,
            "FieldValueInvalid");
}

TEST(WebhookClientCheck, Url_IsAnHttpsAddressWithoutMore) {
  const std::string scheme = "'https' is the only allowed URL scheme" + std::string(kForm) + "\n";
  const std::string host = "host must be specified" + std::string(kForm) + "\n";
  struct Row {
    const char* url;
    std::string problems;
  };
  const std::vector<Row> rows = {
      {"https://a", ""},
      {"https://a:8443/b/c", ""},
      {"HTTPS://a", ""},
      {"http://a", ".url: Invalid value: \"http\": " + scheme},
      {"ftp://", ".url: Invalid value: \"ftp\": " + scheme + ".url: Invalid value: \"\": " + host},
      {"https://", ".url: Invalid value: \"\": " + host},
      {"https:///path", ".url: Invalid value: \"\": " + host},
      {"a.b/c", ".url: Invalid value: \"\": " + scheme + ".url: Invalid value: \"\": " + host},
      {"", ".url: Invalid value: \"\": " + scheme + ".url: Invalid value: \"\": " + host},
      {"https://me:pw@a",
       ".url: Invalid value: \"me:pw\": user information is not permitted in the URL\n"},
      {"https://a#f", ".url: Invalid value: \"f\": fragments are not permitted in the URL\n"},
      {"https://a?q=1",
       ".url: Invalid value: \"q=1\": query parameters are not permitted in the URL\n"},
      {"http://u@a?q#f",
       ".url: Invalid value: \"http\": " + scheme +
           ".url: Invalid value: \"u\": user information is not permitted in the URL\n"
           ".url: Invalid value: \"f\": fragments are not permitted in the URL\n"
           ".url: Invalid value: \"q\": query parameters are not permitted in the URL\n"},
      {"http://a b",
       ".url: Required value: url must be a valid URL: parse \"http://a b\": invalid character "
       "\" \" in host name" +
           std::string(kForm) + "\n"},
      {"a b", ".url: Invalid value: \"\": " + scheme + ".url: Invalid value: \"\": " + host},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Problems("url: '" + std::string(row.url) + "'"), row.problems) << row.url;
  }
}

TEST(WebhookClientCheck, Service_HasNamesAndAPort) {
  constexpr std::string_view kPort =
      ": port is not valid: must be between 1 and 65535, inclusive\n";
  const auto service = [](std::string_view more) {
    return Problems("service: {" + std::string(more) + "}");
  };
  EXPECT_EQ(service(""),
            ".service.name: Required value\n"
            ".service.namespace: Required value\n");
  EXPECT_EQ(service("name: a"), ".service.namespace: Required value\n");
  EXPECT_EQ(service("namespace: a"), ".service.name: Required value\n");
  for (const int port : {1, 443, 65535}) {
    EXPECT_EQ(service("name: a, namespace: b, port: " + std::to_string(port)), "") << port;
  }
  for (const int port : {-1, 0, 65536}) {
    EXPECT_EQ(service("name: a, namespace: b, port: " + std::to_string(port)),
              ".service.port: Invalid value: " + std::to_string(port) + std::string(kPort));
  }
}

TEST(WebhookClientCheck, Path_HasSegmentsThatAreSubdomains) {
  struct Row {
    const char* path;
    std::vector<std::string> problems;
  };
  const std::string rule = BrokenRule(NameRule::kSubdomain, "A");
  ASSERT_FALSE(rule.empty());
  const std::vector<Row> rows = {
      {"", {}},
      {"/", {}},
      {"/a", {}},
      {"/a/", {}},
      {"/a/b.c/d-e", {}},
      {"//", {"segment[0] may not be empty"}},
      {"a", {"must start with a '/'", "segment[0] may not be empty"}},
      {"ab/c", {"must start with a '/'"}},
      {"//a", {"segment[0] may not be empty"}},
      {"///", {"segment[0] may not be empty", "segment[1] may not be empty"}},
      {"/a//b", {"segment[1] may not be empty"}},
      {"/a//", {"segment[1] may not be empty"}},
      {"/A", {"segment[0]: " + rule}},
      {"/a/B/c/D", {"segment[1]: " + rule, "segment[3]: " + rule}},
  };
  for (const Row& row : rows) {
    const std::string path = row.path;
    std::string expected;
    for (const std::string& problem : row.problems) {
      expected.append(".service.path: Invalid value: \"").append(path).append("\": ");
      expected.append(problem).append("\n");
    }
    EXPECT_EQ(Problems("service: {name: a, namespace: b, path: '" + path + "'}"), expected) << path;
  }
}

TEST(WebhookClientCheck, Bundle_HoldsACertificateInBase64) {
  const std::string begin = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t";  // -----BEGIN CERTIFICATE-----
  // "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----"
  EXPECT_TRUE(IsCertificateBundle(begin + "CngKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQ=="));
  EXPECT_FALSE(IsCertificateBundle(begin)) << "no end";
  EXPECT_FALSE(IsCertificateBundle("LS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQ==")) << "no beginning";
  EXPECT_FALSE(IsCertificateBundle(""));
  EXPECT_FALSE(IsCertificateBundle("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----"))
      << "no base64";
}

}  // namespace
}  // namespace kinformer::apiserver
