// client/testing/test_pods.h
//
// Pods for the tests of the cache, built from JSON without the generated types.

#ifndef KINFORMER_CLIENT_TESTING_TEST_PODS_H_
#define KINFORMER_CLIENT_TESTING_TEST_PODS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/internal/block.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/kind_info.h"

namespace kinformer::internal::client {

inline const KindInfo& PodType() {
  static const KindInfo* const type = DynamicKindInfo("", "v1", "Pod", "pods", true);
  return *type;
}

// `value` is stored in the object, so that objects of equal name and version can differ.
inline ObjectRef MakePod(std::string_view namespace_, std::string_view name, std::string_view rv,
                         std::string_view uid = "", std::string_view value = "",
                         const KindInfo& type = PodType()) {
  std::string json = R"({"metadata":{"name":")" + std::string(name) + '"';
  if (!namespace_.empty()) json += R"(,"namespace":")" + std::string(namespace_) + '"';
  json += R"(,"uid":")" + (uid.empty() ? "uid-" + std::string(name) : std::string(uid)) + '"';
  json += R"(,"resourceVersion":")" + std::string(rv) + '"';
  json += R"(},"spec":{"nodeName":")" + std::string(value) + R"("}})";
  return BuildFromJson(type, json).OrExit();
}

inline std::string PodValue(const Block& pod) {
  const std::string_view payload = pod.payload();
  constexpr std::string_view kField = R"("nodeName":")";
  const std::size_t at = payload.find(kField) + kField.size();
  return std::string(payload.substr(at, payload.find('"', at) - at));
}

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TESTING_TEST_PODS_H_
