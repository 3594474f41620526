// integration/hostile_requests.h
//
// Builds requests of malicious or careless clients.

#ifndef KINFORMER_TEST_INTEGRATION_HOSTILE_REQUESTS_H_
#define KINFORMER_TEST_INTEGRATION_HOSTILE_REQUESTS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "integration/raw_http.h"

namespace kinformer::testing {

inline constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
inline constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
inline constexpr std::string_view kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

inline std::string Repeat(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

inline std::string Json(std::string_view method, std::string_view target, std::string_view body,
                        RawFields fields = {}) {
  fields.emplace_back("Content-Type", "application/json");
  return RequestText(method, target, fields, body);
}
inline std::string Yaml(std::string_view body) {
  return RequestText("POST", kMaps, {{"Content-Type", "application/yaml"}}, body);
}
inline std::string Patch(std::string_view name, std::string_view kind, std::string_view body) {
  return RequestText("PATCH", std::string(kMaps) + "/" + std::string(name),
                     {{"Content-Type", "application/" + std::string(kind) + "-patch+json"}}, body);
}
inline std::string Map(std::string_view name, std::string_view rest = {}) {
  std::string body = R"({"metadata":{"name":")" + std::string(name) + "\"}";
  return Json("POST", kMaps, body.append(rest).append("}"));
}
inline std::string Get(std::string_view target) { return RequestText("GET", target); }
inline std::string Head(std::string_view lines) {
  return "GET /version HTTP/1.1\r\n" + std::string(lines) + "Connection: close\r\n\r\n";
}

// "k0":value,"k1":value, ...
inline std::string Members(std::size_t count, std::string_view value,
                           std::string_view prefix = "k") {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    out.append("\"").append(prefix).append(std::to_string(i)).append("\":").append(value);
  }
  return out;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_HOSTILE_REQUESTS_H_
