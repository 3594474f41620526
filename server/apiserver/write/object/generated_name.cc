#include "apiserver/write/object/generated_name.h"

#include <chrono>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

constexpr int kNameAttempts = 8;

}  // namespace

bool GenerateNameOf(Env& env, const ServedResource& resource, json::Value& metadata) {
  const std::string prefix = metadata["generateName"].StringOrEmpty();
  if (!metadata["name"].StringOrEmpty().empty() || prefix.empty()) return false;
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    metadata.Set("name", GenerateName(env, prefix));
    const json::Value& placed = std::as_const(metadata);
    if (!resource.Find(placed["namespace"].StringOrEmpty(), placed["name"].StringOrEmpty())) break;
  }
  return true;
}

Error NameTaken(const ServedResource& resource, const std::string& name, bool terminating,
                bool generated) {
  if (!generated) return AlreadyExistsError(resource.Subject(name), terminating);
  Error error(Reason::kAlreadyExists,
              AlreadyExistsError(resource.Subject(name), false).message() +
                  ", the server was not able to generate a unique name for the object");
  error.WithHttpStatus(409).WithDetails(
      {.name = name, .group = resource.group, .kind = resource.plural});
  error.WithRetryAfter(std::chrono::seconds(1));
  return error;
}

}  // namespace kinformer::apiserver
