// kinformer/object/mutable_text.h
//
// Conversion between mutable structs and text: JSON and YAML, as the API and kubectl write them.
//
//   Result<corev1::PodMutable> pod = FromYaml<corev1::PodMutable>(manifest, "pod.yaml");
//   std::cout << ToYaml(*pod);
//
// Included by the headers of the structs (kinformer/api/corev1_mutable.h). Members that the schema
// lacks are kept and written again. Thread-safe; never blocks.

#ifndef KINFORMER_OBJECT_MUTABLE_TEXT_H_
#define KINFORMER_OBJECT_MUTABLE_TEXT_H_

#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/result.h"
#include "kinformer/internal/mutable_codec.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

namespace kinformer {

// Returns compact JSON; with kind and apiVersion if M is a kind. "" if a RawExtension of the object
// is not JSON.
template <class M>
[[nodiscard]] std::string ToJson(const M& object) {
  using internal::EncodeJson;
  return EncodeJson(object);
}

// Returns YAML, as kubectl prints it.
template <class M>
[[nodiscard]] std::string ToYaml(const M& object) {
  return yaml::Dump(json::Parse(ToJson(object)).value_or(json::Value()));
}

// Parses JSON. kDecode with the path of the member that does not fit.
template <class M>
Result<M> FromJson(std::string_view text) {
  return internal::DecodeJson<M>(text);
}

// Parses one YAML document. Errors name its line, and `file` if given.
template <class M>
Result<M> FromYaml(std::string_view text, std::string_view file = {}) {
  Result<json::Value> value = yaml::Parse(text, file);
  if (!value) return std::move(value).error();
  Result<M> read = internal::DecodeJson<M>(value->Dump());
  if (read || file.empty()) return read;
  Error error = std::move(read).error();
  error.WithContext(file);
  return error;
}

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_MUTABLE_TEXT_H_
