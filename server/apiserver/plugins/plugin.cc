#include "apiserver/plugins/plugin.h"

#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {

Error PluginRequest::Forbidden(std::string_view why) const {
  const json::Value& metadata = std::as_const(object)["metadata"];
  const std::string* name = &metadata["name"].StringOrEmpty();
  if (name->empty()) name = &metadata["generateName"].StringOrEmpty();
  return ForbiddenError(resource.Subject(*name), why);
}

}  // namespace kinformer::apiserver
