// kinformer/internal/apply_builder.h
//
// Base and helpers of the builders in kinformer/applyconfig/, which the generator writes.

#ifndef KINFORMER_INTERNAL_APPLY_BUILDER_H_
#define KINFORMER_INTERNAL_APPLY_BUILDER_H_

#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/api/metav1_mutable.h"
#include "kinformer/base/result.h"
#include "kinformer/client/managedfields.h"
#include "kinformer/json/json.h"
#include "kinformer/object/box.h"
#include "kinformer/object/mutable_text.h"

namespace kinformer::applyconfig::internal {

// Sets a field. A builder fills a Box as the struct that it is.
template <class F, class V>
void SetField(F& field, V&& value) {
  field = std::forward<V>(value);
}
template <class T, std::derived_from<T> V>
void SetField(Box<T>& field, const V& value) {
  field = static_cast<const T&>(value);
}

// The methods for the metadata of an object or template, as client-go has them on the object
// itself. `Self` derives from this, which is a `Struct`.
template <class Self, class Struct>
class MetadataBuilder : public Struct {
 public:
  Self& WithName(std::string value) { return Set(this->metadata.name, std::move(value)); }
  Self& WithGenerateName(std::string value) {
    return Set(this->metadata.generateName, std::move(value));
  }
  Self& WithNamespace(std::string value) {
    return Set(this->metadata.namespace_, std::move(value));
  }
  Self& WithUID(std::string value) { return Set(this->metadata.uid, std::move(value)); }
  Self& WithResourceVersion(std::string value) {
    return Set(this->metadata.resourceVersion, std::move(value));
  }
  Self& WithLabels(const std::map<std::string, std::string>& entries) {
    for (const auto& [key, value] : entries) this->metadata.labels[key] = value;
    return self();
  }
  Self& WithAnnotations(const std::map<std::string, std::string>& entries) {
    for (const auto& [key, value] : entries) this->metadata.annotations[key] = value;
    return self();
  }
  template <class... V>
  Self& WithOwnerReferences(const V&... values) {
    (this->metadata.ownerReferences.push_back(values), ...);
    return self();
  }
  template <class... V>
  Self& WithFinalizers(const V&... values) {
    (this->metadata.finalizers.push_back(values), ...);
    return self();
  }

 private:
  [[nodiscard]] Self& self() { return static_cast<Self&>(*this); }
  Self& Set(std::string& field, std::string value) {
    field = std::move(value);
    return self();
  }
};

// Returns `made`, an empty builder, with what `field_manager` has applied of `live`.
template <class Builder, class O>
Result<Builder> Extracted(Builder made, const O& live, std::string_view field_manager,
                          std::string_view subresource) {
  Result<json::Value> document = json::Parse(live.ToJson());
  if (document) document = managedfields::Extract(*document, field_manager, subresource);
  if (!document) return std::move(document).error();
  auto read = FromJson<typename O::Mutable>(document->Dump());
  if (!read) return std::move(read).error();
  static_cast<typename O::Mutable&>(made) = *std::move(read);
  return made;
}

}  // namespace kinformer::applyconfig::internal

#endif  // KINFORMER_INTERNAL_APPLY_BUILDER_H_
