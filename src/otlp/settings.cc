#include "otlp/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace kinformer::internal::otlp {
namespace {

constexpr char kEndpoint[] = "OTEL_EXPORTER_OTLP_ENDPOINT";
constexpr char kTracesEndpoint[] = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
constexpr char kHeaders[] = "OTEL_EXPORTER_OTLP_HEADERS";
constexpr char kTracesHeaders[] = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
constexpr char kCertificate[] = "OTEL_EXPORTER_OTLP_CERTIFICATE";
constexpr char kTracesCertificate[] = "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE";
constexpr char kResource[] = "OTEL_RESOURCE_ATTRIBUTES";
constexpr char kServiceName[] = "OTEL_SERVICE_NAME";
constexpr char kSampler[] = "OTEL_TRACES_SAMPLER";
constexpr char kSamplerArgument[] = "OTEL_TRACES_SAMPLER_ARG";

constexpr char kPath[] = "/v1/traces";
constexpr char kServiceAttribute[] = "service.name";

using Pairs = std::vector<std::pair<std::string, std::string>>;

Error Wrong(const std::string& where, const std::string& what) {
  return {Reason::kConfig, where + ": " + what};
}

// A text and the place that it comes from.
struct Given {
  std::string text{};
  std::string where{};
};

// Returns the first that is not empty, as an empty variable counts as none.
Given First(const std::string& option, const char* option_name, const Variables& variables,
            std::initializer_list<const char*> names, const char* fallback) {
  if (!option.empty()) return {option, std::string("OtlpOptions::") + option_name};
  for (const char* const name : names) {
    if (std::optional<std::string> value = variables(name); value && !value->empty()) {
      return {*std::move(value), name};
    }
  }
  return {fallback, std::string("OtlpOptions::") + option_name};
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") + 1 - from);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Replaces "%2C" by ",". Empty: a percent sign has no two digits behind it.
std::optional<std::string> Unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

// Reads "key=value,key=value", as in W3C baggage. The error says which entry it is, but nothing of
// its value.
Result<Pairs> PairsOf(const std::string& text, const std::string& where) {
  Pairs out;
  std::string_view rest = text;
  for (std::size_t entry = 1; !rest.empty(); ++entry) {
    const std::size_t comma = rest.find(',');
    const std::string_view pair = Trimmed(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    if (pair.empty()) continue;
    const std::size_t sign = pair.find('=');
    const std::string_view key = Trimmed(pair.substr(0, sign));
    if (sign == std::string_view::npos || key.empty()) {
      return Wrong(where, "entry " + std::to_string(entry) + " is no key=value");
    }
    std::optional<std::string> value = Unescaped(Trimmed(pair.substr(sign + 1)));
    if (!value) {
      return Wrong(where, "the value of \"" + std::string(key) +
                              "\" has a % without two hexadecimal digits; write %25 for it");
    }
    out.emplace_back(key, *std::move(value));
  }
  return out;
}

bool IsHeaderName(std::string_view name) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

bool IsHeaderValue(std::string_view value) {
  return std::ranges::all_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= ' ' && byte != 0x7f) || c == '\t';
  });
}

Result<void> SetEndpoint(const OtlpOptions& options, const Variables& variables, Settings& out) {
  Given given = First(options.endpoint, "endpoint", variables, {kTracesEndpoint, kEndpoint},
                      "http://localhost:4318");
  const bool whole = given.where == kTracesEndpoint;
  std::string& url = given.text;
  const std::size_t scheme = url.find("://");
  const bool http = url.starts_with("http://") || url.starts_with("https://");
  if (!http || url.size() == scheme + 3) {
    return Wrong(given.where,
                 "the endpoint is no URL with http:// or https://, such as "
                 "http://localhost:4318");
  }
  const std::size_t path = url.find('/', scheme + 3);
  if (url.find_first_of(" \t\r\n?#") != std::string::npos) {
    return Wrong(given.where, "the endpoint must have no spaces, no ? and no #");
  }
  if (url.substr(0, path).find('@') != std::string::npos) {
    return Wrong(given.where,
                 "the endpoint must have no user and password; give a header, such as "
                 "authorization=Basic%20...");
  }
  out.base_url = url.substr(0, path);
  out.target = path == std::string::npos ? "" : url.substr(path);
  if (!whole) {
    while (out.target.ends_with('/')) out.target.pop_back();
    out.target += kPath;
  } else if (out.target.empty()) {
    out.target = "/";
  }
  return {};
}

Result<void> SetHeaders(const OtlpOptions& options, const Variables& variables, Settings& out) {
  Pairs pairs = options.headers;
  std::string where = "OtlpOptions::headers";
  if (pairs.empty()) {
    const Given given = First("", "headers", variables, {kTracesHeaders, kHeaders}, "");
    where = given.where;
    Result<Pairs> read = PairsOf(given.text, where);
    if (!read) return std::move(read).error();
    pairs = *std::move(read);
  }
  for (const auto& [name, value] : pairs) {
    if (!IsHeaderName(name)) return Wrong(where, "\"" + name + "\" is no name of a header");
    if (!IsHeaderValue(value)) {
      return Wrong(where, "the value of \"" + name + "\" has characters that no header may have");
    }
    out.headers.Add(name, value);
  }
  return {};
}

Result<void> SetResource(const OtlpOptions& options, const Variables& variables, Settings& out) {
  Pairs all = options.resource_attributes;
  Result<Pairs> read = PairsOf(variables(kResource).value_or(""), kResource);
  if (!read) return std::move(read).error();
  for (auto& pair : *read) all.push_back(std::move(pair));
  const std::string program = program_invocation_short_name;
  Given name = First(options.service_name, "service_name", variables, {kServiceName}, "");
  if (name.text.empty()) {
    const auto found = std::ranges::find(all, kServiceAttribute, &Pairs::value_type::first);
    name.text =
        found != all.end() && !found->second.empty() ? found->second : "unknown_service:" + program;
  }
  out.resource.emplace_back(kServiceAttribute, name.text);
  for (auto& [key, value] : all) {
    const auto same = std::ranges::find(out.resource, key, &Pairs::value_type::first);
    if (same == out.resource.end()) out.resource.emplace_back(key, value);
  }
  out.resource.emplace_back("telemetry.sdk.name", "kinformer");
  out.resource.emplace_back("telemetry.sdk.language", "cpp");
  return {};
}

}  // namespace

Result<Settings> SettingsOf(const OtlpOptions& options, const Variables& variables) {
  Settings out;
  if (Result<void> set = SetEndpoint(options, variables, out); !set) return std::move(set).error();
  if (Result<void> set = SetHeaders(options, variables, out); !set) return std::move(set).error();
  if (Result<void> set = SetResource(options, variables, out); !set) return std::move(set).error();
  out.ca_file =
      First(options.ca_file, "ca_file", variables, {kTracesCertificate, kCertificate}, "").text;
  const Given sampler =
      First(options.sampler, "sampler", variables, {kSampler}, "parentbased_always_on");
  const Given argument =
      First(options.sampler_argument, "sampler_argument", variables, {kSamplerArgument}, "");
  const bool by_argument = sampler.text.ends_with("traceidratio");
  Result<Sampler> made =
      Sampler::Of(sampler.text, argument.text, by_argument ? argument.where : sampler.where);
  if (!made) return std::move(made).error();
  out.sampler = *made;
  return out;
}

Variables OwnVariables() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

}  // namespace kinformer::internal::otlp
