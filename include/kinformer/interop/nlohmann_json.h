// kinformer/interop/nlohmann_json.h
//
// Conversions between the library's values and nlohmann::json: documents (json::Value), objects
// (views and Unstructured), and structs to write (corev1::PodMutable, CustomObject).
//
//   const nlohmann::json shown = pod;  // a view: the whole object, with kind and apiVersion
//   Result<corev1::PodMutable> read = interop::FromNlohmann<corev1::PodMutable>(shown);
//   const auto value = shown.get<json::Value>();  // throws where FromNlohmann has an error
//
// nlohmann::json has no numbers beyond int64, uint64 and double: longer ones are rounded. It sorts
// members; nlohmann::ordered_json, which works as well, does not. Only a program that includes this
// header needs nlohmann::json.

#ifndef KINFORMER_INTEROP_NLOHMANN_JSON_H_
#define KINFORMER_INTEROP_NLOHMANN_JSON_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/public_text.h"
#include "kinformer/json/json.h"
#include "kinformer/json/json_view.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/object/fields.h"
#include "kinformer/object/mutable_text.h"

namespace kinformer::interop {

// Failure of get<T>(), which reports by exceptions: the Error that FromNlohmann returns.
class NlohmannError final : public nlohmann::detail::exception {
 public:
  explicit NlohmannError(Error error)
      : exception(501, error.ToString().c_str()), error_(std::move(error)) {}
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
};

// Returns the same document.
template <class Json = nlohmann::json>
[[nodiscard]] Json ToNlohmann(const json::Value& value) {
  switch (value.type()) {
    case json::Type::kNull:
      return nullptr;
    case json::Type::kBool:
      return value.AsBool().value_or(false);
    case json::Type::kNumber:
      if (!value.is_integer()) return value.AsDouble().value_or(0);
      if (const auto number = value.AsInt64()) return *number;
      return value.AsUint64().value_or(0);
    case json::Type::kString:
      return value.StringOrEmpty();
    case json::Type::kArray: {
      Json out = Json::array();
      for (const json::Value& item : value.items()) out.push_back(ToNlohmann<Json>(item));
      return out;
    }
    case json::Type::kObject: {
      Json out = Json::object();
      for (const auto& [name, member] : value.members()) out[name] = ToNlohmann<Json>(member);
      return out;
    }
  }
  return nullptr;
}

}  // namespace kinformer::interop

namespace kinformer::internal {

// `depth`: levels that may follow.
template <class Json>
Result<json::Value> ValueOfNlohmann(const Json& from, std::size_t depth) {
  using Kind = typename Json::value_t;
  if (depth == 0) {
    return Error(Reason::kDecode, "the nlohmann::json is nested deeper than " +
                                      std::to_string(json::ParseOptions().max_depth) + " levels");
  }
  switch (from.type()) {
    case Kind::null:
      return json::Value();
    case Kind::boolean:
      return json::Value(from.template get<bool>());
    case Kind::number_integer:
      return json::Value(from.template get<std::int64_t>());
    case Kind::number_unsigned:
      return json::Value(from.template get<std::uint64_t>());
    case Kind::number_float:
      return json::Value(from.template get<double>());
    case Kind::string:
      return json::Value(from.template get_ref<const typename Json::string_t&>());
    case Kind::array: {
      json::Array items;
      items.reserve(from.size());
      for (const Json& item : from) {
        Result<json::Value> read = ValueOfNlohmann(item, depth - 1);
        if (!read) return read;
        items.push_back(*std::move(read));
      }
      return json::Value(std::move(items));
    }
    case Kind::object: {
      std::vector<json::Object::Member> members;
      members.reserve(from.size());
      for (auto at = from.begin(); at != from.end(); ++at) {
        Result<json::Value> read = ValueOfNlohmann(at.value(), depth - 1);
        if (!read) return read;
        members.emplace_back(at.key(), *std::move(read));
      }
      return json::Value(json::Object(std::move(members)));
    }
    case Kind::binary:
    case Kind::discarded:
      break;
  }
  return Error(Reason::kDecode, "the nlohmann::json has a value of type " +
                                    std::string(from.type_name()) + ", which JSON does not have");
}

template <class M>
Result<M> StructOfValue(const json::Value& value, const M* /*type*/) {
  return FromJson<M>(value.Dump());
}
template <class S>
Result<CustomObject<S>> StructOfValue(json::Value value, const CustomObject<S>* /*type*/) {
  auto metadata = FromJson<metav1::ObjectMetaMutable>(
      value["metadata"].is_null() ? std::string("{}") : value["metadata"].Dump());
  if (!metadata) {
    Error error = std::move(metadata).error();
    return error.WithContext("metadata");
  }
  for (const char* const common : {"apiVersion", "kind", "metadata"}) value.Erase(common);
  std::size_t dropped = 0;
  Result<S> rest = FieldsFromValue<S>(value, &dropped);
  if (!rest) return std::move(rest).error();
  CustomObject<S> object{*std::move(rest)};
  object.metadata = *std::move(metadata);
  object.is_partial = dropped != 0;
  return object;
}

// Matches views, whose text is read once more.
template <class T>
concept ViewWithJson = !std::same_as<T, json::View> && requires(const T& view) {
  { view.ToJson() } -> std::same_as<std::string>;
} && (WholeObject<T> || MessageOfItself<T>);

}  // namespace kinformer::internal

namespace kinformer::interop {

// Returns the document, or the struct that the document fits. kDecode: it is nested deeper than 512
// levels, has a value that JSON does not have (binary), or a member that does not fit, whose path
// the error names. Members that a struct does not have are dropped, as FromJson and FieldsFromValue
// drop them.
template <class T, class Json>
[[nodiscard]] Result<T> FromNlohmann(const Json& from) {
  Result<json::Value> value = internal::ValueOfNlohmann(from, json::ParseOptions().max_depth);
  if constexpr (std::same_as<T, json::Value>) {
    return value;
  } else {
    if (!value) return std::move(value).error();
    return internal::StructOfValue(*std::move(value), static_cast<const T*>(nullptr));
  }
}

}  // namespace kinformer::interop

namespace nlohmann {

// Converts documents, objects and structs to write to any basic_json; documents and structs back.
template <class T>
  requires(kinformer::internal::OneOf<T, kinformer::json::Value, kinformer::json::View> ||
           kinformer::internal::ViewWithJson<T> || kinformer::internal::WritableStruct<T>)
struct adl_serializer<T, void> {
  template <class Json>
  static void to_json(Json& out, const T& value) {
    if constexpr (std::same_as<T, kinformer::json::Value>) {
      out = kinformer::interop::ToNlohmann<Json>(value);
    } else if constexpr (std::same_as<T, kinformer::json::View>) {
      out = kinformer::interop::ToNlohmann<Json>(value.ToValue());
    } else if constexpr (kinformer::internal::ViewWithJson<T>) {
      out = Json::parse(value.ToJson(), nullptr, false);
    } else {
      out = Json::parse(kinformer::ToJson(value), nullptr, false);
    }
    if (out.is_discarded()) out = nullptr;
  }
  template <class Json>
  static void from_json(const Json& from, T& out)
    requires(std::same_as<T, kinformer::json::Value> || kinformer::internal::WritableStruct<T>)
  {
    kinformer::Result<T> read = kinformer::interop::FromNlohmann<T>(from);
    if (read.ok()) {
      out = *std::move(read);
      return;
    }
#ifdef __cpp_exceptions
    throw kinformer::interop::NlohmannError(std::move(read).error());
#else
    kinformer::internal::ExitWithError(read.error());
#endif
  }
};

}  // namespace nlohmann

#endif  // KINFORMER_INTEROP_NLOHMANN_JSON_H_
