// kinformer/internal/registry.h
//
// Registry: all built-in kinds and resources of all group-versions, with their discovery data. For
// the API server, the command and other programs that learn only at run time which kinds they
// handle.
//
// It is a library of its own (kinformer_api_registry), since it links the tables of every
// group-version; programs that name their types in the source do not need it.
//
// Constant data: thread-safe, never blocks, lives for ever.

#ifndef KINFORMER_INTERNAL_REGISTRY_H_
#define KINFORMER_INTERNAL_REGISTRY_H_

#include <span>
#include <string_view>

#include "kinformer/object/kind_info.h"

namespace kinformer::internal {

struct SubresourceInfo {
  std::string_view name;  // "status", "scale"
  // Kind in requests and answers, which may differ from the parent's: autoscaling/v1 Scale.
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::span<const std::string_view> verbs;
};

struct ResourceInfo {
  std::string_view group;
  std::string_view version;
  std::string_view resource;  // plural
  // Kind of its objects; it may belong to another group-version than the resource. The scope is in
  // type->namespaced.
  const KindInfo* type = nullptr;
  // True if the newest API server has it, when its group-version is enabled. False for old
  // versions, of which only plural and scope are known.
  bool served = false;
  std::span<const std::string_view> verbs;
  std::span<const std::string_view> short_names;
  std::span<const std::string_view> categories;
  std::span<const SubresourceInfo> subresources;
};

struct GroupVersionInfo {
  std::string_view group;
  std::string_view version;
  bool by_default = false;  // enabled in an API server with default settings
};

// Returns all kinds, in the bytewise order of group, version, kind: objects, lists, options.
std::span<const KindInfo* const> AllTypes();

// Returns all resources, in the bytewise order of group, version, resource.
std::span<const ResourceInfo> AllResources();

// Returns the group-versions of the newest API server, in the order of its discovery; within a
// group, the preferred version first.
std::span<const GroupVersionInfo> AllGroupVersions();

// Return null if there is none. Binary search.
const KindInfo* FindType(std::string_view group, std::string_view version, std::string_view kind);
const ResourceInfo* FindResource(std::string_view group, std::string_view version,
                                 std::string_view resource);

// Returns the resource with objects of this kind; null for lists, options and dynamic kinds.
const ResourceInfo* FindResourceOf(const KindInfo& type);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_REGISTRY_H_
