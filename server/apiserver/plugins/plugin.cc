#include "apiserver/plugins/plugin.h"

#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {

Error PluginRequest::Forbidden(std::string_view why) const {
  if (!name.empty()) return ForbiddenError(resource.Subject(name), why);
  const json::Value& metadata = std::as_const(object)["metadata"];
  const std::string* its = &metadata["name"].StringOrEmpty();
  if (its->empty()) its = &metadata["generateName"].StringOrEmpty();
  return ForbiddenError(resource.Subject(*its), why);
}

}  // namespace kinformer::apiserver
