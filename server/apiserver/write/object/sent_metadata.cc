#include "apiserver/write/object/sent_metadata.h"

#include "apiserver/errors/status.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/write/object/write_request.h"

namespace kinformer::apiserver {

Result<std::string> PlaceNew(const WriteTarget& target, json::Value& metadata) {
  if (!metadata.is_object()) metadata = json::Value::MakeObject();
  TidyMetadata(metadata);
  if (target.at.resource->namespaced) {
    if (Result<void> placed = CheckSentNamespace(metadata, target.namespace_); !placed) {
      return placed.error();
    }
    metadata.Set("namespace", target.namespace_);
  } else {
    metadata.Erase("namespace");
  }
  std::string sent_version = metadata["resourceVersion"].StringOrEmpty();
  for (const char* name : {"uid", "creationTimestamp", "deletionTimestamp",
                           "deletionGracePeriodSeconds", "selfLink", "resourceVersion"}) {
    metadata.Erase(name);
  }
  if (!target.name.empty() && metadata["name"].StringOrEmpty().empty()) {
    metadata.Set("name", target.name);
  }
  return sent_version;
}

Result<void> CheckSentMetadata(const WriteTarget& target, const json::Value& metadata) {
  if (Result<void> named = CheckSentName(metadata, target.name); !named) return named;
  if (target.at.resource->namespaced) {
    if (Result<void> placed = CheckSentNamespace(metadata, target.namespace_); !placed) {
      return placed;
    }
  }
  const std::string& version = metadata["resourceVersion"].StringOrEmpty();
  if (version.find_first_not_of("0123456789") == std::string::npos) return {};
  return BadRequestError("invalid metadata.resourceVersion " + JsonString(version) +
                         ": it must be a decimal number");
}

}  // namespace kinformer::apiserver
