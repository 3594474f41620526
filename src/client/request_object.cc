#include "kinformer/internal/request_object.h"

#include <memory>
#include <utility>

#include "kinformer/internal/mutable_codec.h"
#include "kinformer/json/json.h"
#include "kinformer/object/projection.h"

namespace kinformer::internal {

RequestObject RequestOfStruct(const MutableTable& table, const void* object,
                              const std::string& namespace_, const std::string& name,
                              bool is_partial, std::string_view home) {
  RequestObject request{.namespace_ = namespace_, .name = name, .is_partial = is_partial};
  if (!home.empty() && namespace_.empty()) {
    const BoxOps& ops = OpsOfStruct(table);
    const std::shared_ptr<void> placed(ops.copy(object), ops.destroy);
    const auto offset =
        reinterpret_cast<const char*>(&namespace_) - static_cast<const char*>(object);
    *reinterpret_cast<std::string*>(static_cast<char*>(placed.get()) + offset) = home;
    request.namespace_ = home;
    request.protobuf = EncodeMutable(table, placed.get());
    request.json = [&table, placed] { return EncodeMutableJson(table, placed.get()); };
  } else {
    request.protobuf = EncodeMutable(table, object);
    request.json = [&table, object] { return EncodeMutableJson(table, object); };
  }
  return request;
}

RequestObject RequestOfJson(const json::Value& object, std::string_view home) {
  const json::Value& metadata = object["metadata"];
  RequestObject request{.namespace_ = metadata["namespace"].StringOrEmpty(),
                        .name = metadata["name"].StringOrEmpty(),
                        .json = [&object] { return object.Dump(); },
                        .is_partial = object[kPartialMember].AsBool().value_or(false)};
  if (home.empty() || !request.namespace_.empty()) return request;
  json::Value placed = object;
  placed.Ensure("metadata").Set("namespace", std::string(home));
  request.namespace_ = home;
  request.json = [placed = std::move(placed)] { return placed.Dump(); };
  return request;
}

void PlaceJson(RequestObject& request, std::string_view home) {
  if (home.empty() || !request.namespace_.empty()) return;
  request.namespace_ = home;
  request.json = [json = std::move(request.json), home = request.namespace_] {
    std::string text = json();
    Result<json::Value> placed = json::Parse(text);
    if (!placed) return text;
    placed->Ensure("metadata").Set("namespace", home);
    return placed->Dump();
  };
}

}  // namespace kinformer::internal
