#include "apiserver/write/request/unstored_answer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "kinformer/internal/registry.h"

#include "apiserver/request/object_encoder.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver {

ResponsePtr UnstoredAnswer(ResourceAt at, const OutputFormat& format, int status, WallTime now,
                           const json::Value& object) {
  const std::string& api_version = object["apiVersion"].StringOrEmpty();
  const std::string& kind = object["kind"].StringOrEmpty();
  const std::size_t slash = api_version.find('/');
  const std::string version = api_version.substr(slash + 1);
  const KindInfo* const type = internal::FindType(api_version.substr(0, slash), version, kind);
  OutputFormat shown = format;
  if (type == nullptr || format.form == Form::kTable) {
    shown = {.media = MediaType::kJson, .pretty = format.pretty};
  }
  at.version = ServedVersion::Make({.version = version,
                                    .api_version = api_version,
                                    .kind = kind,
                                    .message = type == nullptr ? nullptr : type->message});
  const std::int64_t resource_version =
      internal::base::NumberIn(object.At("/metadata/resourceVersion").StringOrEmpty()).value_or(0);
  return WholeResponse(status, ContentTypeOf(shown, false),
                       ObjectEncoder(std::move(at), shown, now)
                           .Object(StoredObject::Make(object, resource_version, {})));
}

ResponsePtr SuccessAnswer(bool pretty) {
  const json::Value status = json::Value::MakeObject({{"kind", "Status"},
                                                      {"apiVersion", "v1"},
                                                      {"metadata", json::Value::MakeObject()},
                                                      {"status", "Success"},
                                                      {"code", 201}});
  const OutputFormat format{.media = MediaType::kJson, .pretty = pretty};
  return WholeResponse(201, ContentTypeOf(format, false), Render(format, status.Dump()));
}

}  // namespace kinformer::apiserver
