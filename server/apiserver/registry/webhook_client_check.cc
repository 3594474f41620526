#include "apiserver/registry/webhook_client_check.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "apiserver/errors/status.h"
#include "apiserver/schema/name_rules.h"
#include "base/text/url.h"
#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;

constexpr std::string_view kForm = "; desired format: https://host[/path]";
constexpr std::int64_t kMaxPort = 65535;

void CheckUrl(const std::string& url, const std::string& field, Causes& causes) {
  internal::base::Url parts = internal::base::SplitUrl(url);
  // Go's parser treats a text without scheme as a path.
  if (parts.scheme.empty()) parts.host.clear();
  if (parts.host.find(' ') != std::string::npos) {
    causes.push_back(Required(field, "url must be a valid URL: parse " + JsonString(url) +
                                         ": invalid character \" \" in host name" +
                                         std::string(kForm)));
    return;
  }
  const auto invalid = [&](std::string_view value, std::string_view why) {
    causes.push_back(InvalidValue(field, JsonString(value), why));
  };
  if (parts.scheme != "https") {
    invalid(parts.scheme, "'https' is the only allowed URL scheme" + std::string(kForm));
  }
  if (parts.host.empty()) invalid(parts.host, "host must be specified" + std::string(kForm));
  if (!parts.user.empty()) invalid(parts.user, "user information is not permitted in the URL");
  if (!parts.fragment.empty()) invalid(parts.fragment, "fragments are not permitted in the URL");
  if (!parts.query.empty()) invalid(parts.query, "query parameters are not permitted in the URL");
}

void CheckPath(const std::string& path, const std::string& field, Causes& causes) {
  const auto invalid = [&](std::string_view why) {
    causes.push_back(InvalidValue(field, JsonString(path), why));
  };
  if (path.empty() || path == "/") return;
  if (path.front() != '/') invalid("must start with a '/'");
  std::string_view rest = std::string_view(path).substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  for (std::size_t i = 0;; ++i) {
    const std::string name = "segment[" + std::to_string(i) + "]";
    const std::size_t slash = rest.find('/');
    const std::string segment(rest.substr(0, slash));
    if (segment.empty()) {
      invalid(name + " may not be empty");
    } else if (const std::string rule = BrokenRule(NameRule::kSubdomain, segment); !rule.empty()) {
      invalid(name + ": " + rule);
    }
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void CheckService(const json::Value& service, const std::string& field, Causes& causes) {
  for (const char* member : {"name", "namespace"}) {
    if (service[member].StringOrEmpty().empty()) {
      causes.push_back(Required(field + "." + member));
    }
  }
  if (const auto port = service["port"].AsInt64(); port && (*port < 1 || *port > kMaxPort)) {
    causes.push_back(InvalidValue(field + ".port", std::to_string(*port),
                                  "port is not valid: must be between 1 and 65535, inclusive"));
  }
  CheckPath(service["path"].StringOrEmpty(), field + ".path", causes);
}

}  // namespace

Causes CheckWebhookClient(const json::Value& client_config, const std::string& field) {
  Causes causes;
  const json::Value& url = client_config["url"];
  const json::Value& service = client_config["service"];
  if (url.is_null() == service.is_null()) {
    causes.push_back(Required(field, "exactly one of url or service is required"));
  } else if (!url.is_null()) {
    CheckUrl(url.StringOrEmpty(), field + ".url", causes);
  } else {
    CheckService(service, field + ".service", causes);
  }
  return causes;
}

bool IsCertificateBundle(const std::string& base64) {
  const std::optional<std::string> pem = internal::Base64Decode(base64);
  return pem && pem->find("-----BEGIN CERTIFICATE-----") != std::string::npos &&
         pem->find("-----END CERTIFICATE-----") != std::string::npos;
}

}  // namespace kinformer::apiserver
