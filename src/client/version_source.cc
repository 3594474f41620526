#include "client/version_source.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "client/list_call.h"
#include "client/object_codec.h"
#include "client/request_path.h"

namespace kinformer::internal::client {
namespace {

// No object has this name: names consist of lower-case letters, digits, '-' and '.'.
constexpr const char* kNobody = "metadata.name=_NOBODY_";

// Longest time to wait for a slow server.
constexpr Duration kTimeout = std::chrono::seconds(10);

// Selects metadata of one object in one namespace: servers of any version then read one key.
Result<std::shared_ptr<ListSource>> OneKeyOf(std::shared_ptr<Engine> engine, const KindInfo& type,
                                             std::string namespace_) {
  if (namespace_.empty() && type.namespaced) namespace_ = "default";
  Result<std::string> path =
      BuildPath({type.group, type.version, type.resource, namespace_, "", ""});
  if (!path) return std::move(path).error();
  const KindInfo* const metadata =
      MetadataKindInfo(type.group, type.version, type.kind, type.resource, type.namespaced);
  return std::make_shared<ListSource>(ListSource{std::move(engine), metadata, *std::move(path),
                                                 /*metadata_only=*/true, /*throttled=*/false});
}

}  // namespace

VersionSource VersionSourceOf(const ListSource& source) {
  auto send = [engine = source.engine, type = source.type, namespace_ = source.namespace_](
                  ListReceiver& receiver, std::unique_ptr<ListWatchCall>& call) -> Result<void> {
    Result<std::shared_ptr<ListSource>> key = OneKeyOf(engine, *type, namespace_);
    if (!key) return std::move(key).error();
    auto list = std::make_unique<ListCall>(*std::move(key), receiver);
    ListCall& begun = *list;
    call = std::move(list);
    begun.StartAtOnce({.fieldSelector = kNobody}, kTimeout);
    return {};
  };
  return {.env = source.engine->env(),
          .resource = ResourceName(*source.type),
          .namespace_ = source.namespace_,
          .send = std::move(send)};
}

}  // namespace kinformer::internal::client
