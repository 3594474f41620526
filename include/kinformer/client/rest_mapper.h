// kinformer/client/rest_mapper.h
//
// RestMapper: finds kinds and resources by parts of their names, in what a server said once.
// DeferredDiscoveryRESTMapper asks the server when that is necessary.
//
//   DeferredDiscoveryRESTMapper mapper(client.Discovery());
//   GroupVersionResource named = mapper.ResourceFor({.resource = "deploy"}).OrExit();
//   RestMapping mapping = mapper.RESTMapping({"apps", "Deployment"}, {"v1"}).OrExit();

#ifndef KINFORMER_CLIENT_REST_MAPPER_H_
#define KINFORMER_CLIENT_REST_MAPPER_H_

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/api_resource.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/rest_mapping.h"

namespace kinformer {

// Name of a kind without a version. Counterpart: schema.GroupKind.
struct GroupKind {
  std::string group{};
  std::string kind{};
  auto operator<=>(const GroupKind&) const = default;
};
// Name of a resource without a version. Counterpart: schema.GroupResource.
struct GroupResource {
  std::string group{};
  std::string resource{};
  auto operator<=>(const GroupResource&) const = default;
};

// A picture of the resources that a server has. Functions do not block, and what several resources
// match is in the order of their priority: first the preferred versions of all groups in the
// server's order, then the other versions.
//
// Functions that take a GroupVersionResource take parts of a name: the resource is a plural, a
// singular or a short name in any case; a full name wins over a short one. An empty group or
// version stands for any. If no group has exactly this name and the version is empty, the name is
// the beginning of a group's name: "metrics" for metrics.k8s.io. kNotFound: nothing matches.
//
// A value: copies share the picture. Thread-safe. Counterpart: meta.RESTMapper from
// restmapper.NewDiscoveryRESTMapper, with restmapper.NewShortcutExpander and
// NewDiscoveryCategoryExpander. Unlike there, several versions that are all not preferred are not
// ambiguous: the server's order decides.
class RestMapper {
 public:
  explicit RestMapper(std::vector<ApiGroupVersion> groups);
  explicit RestMapper(std::shared_ptr<const std::vector<ApiGroupVersion>> groups)
      : groups_(std::move(groups)) {}

  [[nodiscard]] Result<GroupVersionKind> KindFor(const GroupVersionResource& resource) const;
  [[nodiscard]] Result<std::vector<GroupVersionKind>> KindsFor(
      const GroupVersionResource& resource) const;
  [[nodiscard]] Result<GroupVersionResource> ResourceFor(
      const GroupVersionResource& resource) const;
  [[nodiscard]] Result<std::vector<GroupVersionResource>> ResourcesFor(
      const GroupVersionResource& resource) const;

  // Returns the resource of a kind, in the first of `versions` that the server has. Without
  // versions, RESTMapping returns the preferred one, and RESTMappings all.
  [[nodiscard]] Result<RestMapping> RESTMapping(
      const GroupKind& kind, const std::vector<std::string>& versions = {}) const;
  [[nodiscard]] Result<std::vector<RestMapping>> RESTMappings(
      const GroupKind& kind, const std::vector<std::string>& versions = {}) const;

  // Returns "pod" for "pods"; a name that the server does not have as it is.
  [[nodiscard]] std::string ResourceSingularizer(std::string_view resource) const;

  // Returns the resource for which a short name stands, with its group, and other names as they
  // are. `warnings`, if not null, gets a text for each other resource with this short name.
  [[nodiscard]] GroupVersionResource ExpandResourceShortcut(
      const GroupVersionResource& resource, std::vector<std::string>* warnings = nullptr) const;

  // Returns the resources of a category, such as "all", in their preferred versions; empty if no
  // resource is in it. Counterpart: restmapper.CategoryExpander.
  [[nodiscard]] std::optional<std::vector<GroupResource>> Expand(std::string_view category) const;

  // Finds a resource by a typed name, as DiscoveryClient::MappingFor does. The error has the name
  // and suggests similar ones.
  [[nodiscard]] Result<RestMapping> MappingFor(std::string_view name) const;
  // Find exactly this resource or kind.
  [[nodiscard]] Result<RestMapping> MappingFor(const GroupVersionResource& resource) const;
  [[nodiscard]] Result<RestMapping> MappingFor(const GroupVersionKind& kind) const;
  // Returns the first that the server has, as DiscoveryClient::FirstServed does.
  [[nodiscard]] Result<RestMapping> FirstServed(
      const std::vector<GroupVersionResource>& resources) const;

  [[nodiscard]] const std::vector<ApiGroupVersion>& groups() const { return *groups_; }

 private:
  std::shared_ptr<const std::vector<ApiGroupVersion>> groups_;
};

// Asks the server when something is looked up for the first time, and once more if the picture,
// which an earlier call or another process got, lacks it. So kinds that were added meanwhile are
// found. The functions are those of RestMapper. All block; on the loop thread they fail with
// kWouldDeadlock. Copyable, thread-safe. Counterpart: restmapper.DeferredDiscoveryRESTMapper.
class DeferredDiscoveryRESTMapper {
 public:
  explicit DeferredDiscoveryRESTMapper(DiscoveryClient discovery)
      : discovery_(std::move(discovery)) {}

  [[nodiscard]] Result<GroupVersionKind> KindFor(const GroupVersionResource& resource,
                                                 const CallOptions& call = {}) const;
  [[nodiscard]] Result<std::vector<GroupVersionKind>> KindsFor(const GroupVersionResource& resource,
                                                               const CallOptions& call = {}) const;
  [[nodiscard]] Result<GroupVersionResource> ResourceFor(const GroupVersionResource& resource,
                                                         const CallOptions& call = {}) const;
  [[nodiscard]] Result<std::vector<GroupVersionResource>> ResourcesFor(
      const GroupVersionResource& resource, const CallOptions& call = {}) const;
  [[nodiscard]] Result<RestMapping> RESTMapping(const GroupKind& kind,
                                                const std::vector<std::string>& versions = {},
                                                const CallOptions& call = {}) const;
  [[nodiscard]] Result<std::vector<RestMapping>> RESTMappings(
      const GroupKind& kind, const std::vector<std::string>& versions = {},
      const CallOptions& call = {}) const;

  // Forgets the picture.
  void Reset() const { discovery_.Invalidate(); }

 private:
  DiscoveryClient discovery_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_REST_MAPPER_H_
