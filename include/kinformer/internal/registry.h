// kinformer/internal/registry.h
//
// The registry: all built-in kinds and resources of all group-versions, and what discovery says
// about them. For the API server, the command and other programs that learn at run time what they
// deal with.
//
// It stands in a library of its own (kinformer_api_registry), since it links the tables of every
// group-version; a program that names its types in its source does not need it.
//
// Constant data: thread-safe, nothing blocks, lives for ever.

#ifndef KINFORMER_INTERNAL_REGISTRY_H_
#define KINFORMER_INTERNAL_REGISTRY_H_

#include <span>
#include <string_view>

#include "kinformer/internal/type_info.h"

namespace kinformer::internal {

struct SubresourceInfo {
  std::string_view name;  // "status", "scale"
  // What its requests and answers hold; not always the parent's kind: autoscaling/v1 Scale.
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::span<const std::string_view> verbs;
};

struct ResourceInfo {
  std::string_view group;
  std::string_view version;
  std::string_view resource;  // plural
  // The kind of its objects; it may belong to another group-version than the resource.
  // type->namespaced is the scope.
  const TypeInfo* type = nullptr;
  // The newest API server serves it, if its group-version is switched on. False for versions of the
  // past, of which only the plural and the scope are known.
  bool served = false;
  std::span<const std::string_view> verbs;
  std::span<const std::string_view> short_names;
  std::span<const std::string_view> categories;
  std::span<const SubresourceInfo> subresources;
};

struct GroupVersionInfo {
  std::string_view group;
  std::string_view version;
  bool by_default = false;  // an API server with default settings serves it
};

// All kinds, in the bytewise order of group, version, kind: objects, lists, options.
std::span<const TypeInfo* const> AllTypes();

// All resources, in the bytewise order of group, version, resource.
std::span<const ResourceInfo> AllResources();

// The group-versions that the newest API server knows, in the order of its discovery; of a group,
// the preferred version first.
std::span<const GroupVersionInfo> AllGroupVersions();

// Null where there is none. Binary search.
const TypeInfo* FindType(std::string_view group, std::string_view version, std::string_view kind);
const ResourceInfo* FindResource(std::string_view group, std::string_view version,
                                 std::string_view resource);

// The resource whose objects are of this kind; null for lists, options and dynamic kinds.
const ResourceInfo* FindResourceOf(const TypeInfo& type);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_REGISTRY_H_
