// kinformer/mutable_text.h
//
// Mutable structs as text: JSON and YAML, as the API and kubectl write them.
//
//   Result<corev1::PodMutable> pod = FromYaml<corev1::PodMutable>(manifest, "pod.yaml");
//   std::cout << ToYaml(*pod);
//
// The headers of the structs (kinformer/api/corev1_mutable.h) include it. Members that the schema
// lacks are kept and written out again. Thread-safe; nothing blocks.

#ifndef KINFORMER_MUTABLE_TEXT_H_
#define KINFORMER_MUTABLE_TEXT_H_

#include <string>
#include <string_view>
#include <utility>

#include "kinformer/internal/mutable_codec.h"
#include "kinformer/json.h"
#include "kinformer/result.h"
#include "kinformer/yaml.h"

namespace kinformer {

// Compact; with kind and apiVersion where M is a kind. "" if a RawExtension of the object holds no
// JSON.
template <class M>
[[nodiscard]] std::string ToJson(const M& object) {
  using internal::EncodeJson;
  return EncodeJson(object);
}

// YAML, as kubectl prints it.
template <class M>
[[nodiscard]] std::string ToYaml(const M& object) {
  return yaml::Dump(json::Parse(ToJson(object)).value_or(json::Value()));
}

// kDecode with the path of the member that does not fit.
template <class M>
Result<M> FromJson(std::string_view text) {
  return internal::DecodeJson<M>(text);
}

// One document. Errors of the YAML name its line, and the file where it is given.
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

#endif  // KINFORMER_MUTABLE_TEXT_H_
