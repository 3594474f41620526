// kinformer/cache/factory_options.h
//
// Options of a SharedInformerFactory: for all of its informers, and for those of one resource.
//
//   const auto applied = Projection::Drop(
//       {R"(metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"])"});
//   SharedInformerFactory lean(
//       client, {.drop_managed_fields = true,
//                .by_resource = {{ResourceOf<corev1::Secret>(), {.cached = false}},
//                                {ResourceOf<corev1::ConfigMap>(), {.namespaces = {"shop"}}},
//                                {ResourceOf<corev1::Pod>(), {.projection = *applied}}}});
//
// An informer's own options (InformerOptions) override those of its resource, and these
// override the factory's. Selectors of both add up: see below. Namespaces may have options of
// their own:
//
//   SharedInformerFactory apart(
//       client, {.by_namespace = {{"kube-system",
//                                  {.label_selector = *LabelSelector::Parse("app=web")}},
//                                 {"", {}}}});  // and all others as a whole

#ifndef KINFORMER_CACHE_FACTORY_OPTIONS_H_
#define KINFORMER_CACHE_FACTORY_OPTIONS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/time_span.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/cache/namespace_scope.h"
#include "kinformer/cache/transform.h"
#include "kinformer/client/list_options.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/projection.h"
#include "kinformer/object/resource.h"
#include "kinformer/object/shard_selector.h"

namespace kinformer {

namespace internal {

inline GroupVersionResource ResourceOfType(const KindInfo& type) {
  return {std::string(type.group), std::string(type.version), std::string(type.resource)};
}

}  // namespace internal

// Returns the resource of a type, for SharedInformerFactoryOptions::by_resource.
template <Resource T>
[[nodiscard]] GroupVersionResource ResourceOf() {
  return internal::ResourceOfType(T::kind_info());
}

// Overrides for the objects of one namespace. Unset members come from the enclosing options:
// see SharedInformerFactoryOptions::by_namespace. Counterpart: controller-runtime's
// cache.Config.
struct NamespaceCacheOptions {
  std::optional<LabelSelector> label_selector{};
  std::optional<FieldSelector> field_selector{};
  TransformFunc transform{};
};

// Overrides for the informers of one resource: typed, dynamic and metadata ones. Unset
// members come from SharedInformerFactoryOptions, which explains the members of the same
// names. Counterpart: controller-runtime's cache.ByObject, and
// client.CacheOptions.DisableFor.
struct ResourceCacheOptions {
  // False: these objects are not cached. SharedInformerFactory::ReaderFor reads them from the
  // server. A request for an informer is logged as an error and returns a stopped one, which cannot
  // start. Only informers of the metadata can be created: they hold nothing else of the objects.
  bool cached{true};
  // {""}: all. Ignored for kinds without namespaces.
  std::vector<std::string> namespaces{};
  std::map<std::string, NamespaceCacheOptions> by_namespace{};
  std::optional<LabelSelector> label_selector{};
  std::optional<FieldSelector> field_selector{};
  // Selects for informers that set none: see InformerOptions.
  ShardSelector shard_selector{};
  std::optional<bool> drop_managed_fields{};
  std::optional<Projection> projection{};
  TransformFunc transform{};
  std::optional<TimeSpan> resync_period{};
};

// Options of a factory. Counterpart: informers.SharedInformerOption (WithNamespace,
// WithTweakListOptions, WithTransform, WithCustomResyncConfig), and cache.Options of
// controller-runtime.
struct SharedInformerFactoryOptions {
  std::string namespace_{};  // empty: all namespaces
  // Namespaces of informers that do not name their own: see InformerOptions.
  std::vector<std::string> namespaces{};
  // Overrides for the objects of some namespaces, which need not be in `namespaces` too; "" means
  // all namespaces that are named neither here nor there. An option that is unset there comes from
  // the first of these that sets it: the resource's entry for the namespace, its other options, the
  // entry here, the other options here; entries for "" count only for those other namespaces.
  // Namespaces that end up with the same options as all others are listed together with them.
  //
  // It is one cache nevertheless: each namespace, and the others together, are listed and watched
  // separately, as those in `namespaces` are; SharedInformer::Namespaces reports each. Objects that
  // a selector may have left out are kOutOfScope in that selector's namespaces; elsewhere missing
  // objects are kNotFound. If an informer names its own namespaces, it has the options of these.
  // Counterpart: cache.Options.DefaultNamespaces, ByObject.Namespaces, with cache.AllNamespaces.
  std::map<std::string, NamespaceCacheOptions> by_namespace{};
  // Fallback of informers that list all namespaces together.
  IfForbidden if_forbidden{};
  // Selectors of cached objects, in addition to an informer's own selectors and tweak_list_options:
  // an object must match all of them.
  LabelSelector label_selector{};
  FieldSelector field_selector{};
  // Changes the options of every list and watch; must set the same selectors each time. Called on
  // the loop, and once more at each start of an informer, which learns from it which objects its
  // cache lacks.
  TweakListOptionsFunc tweak_list_options{};
  // Removes metadata.managedFields from all objects. An informer cannot bring them back; a resource
  // can (by_resource).
  bool drop_managed_fields{false};
  // Fields kept by informers without a projection of their own. Paths that a kind does not have are
  // ignored, so that one projection fits all kinds.
  Projection projection{};
  // Transform of every informer that calls no SetTransform.
  TransformFunc transform{};
  TimeSpan default_resync{};  // of informers that do not set one; 0: never
  // Trace function of every informer that does not set its own.
  TraceFunc trace{};
  // Overrides for some resources; each version is a resource of its own. ResourceOf<T>() names the
  // resource of a type. A resource that does not exist is not an error.
  std::map<GroupVersionResource, ResourceCacheOptions> by_resource{};
};

// Figures of one informer of a factory: result of SharedInformerFactory::Stats.
struct FactoryInformerStats {
  std::string name{};        // what it lists, as in messages: "pods in namespace default"
  std::string apiVersion{};  // "apps/v1"
  std::string resource{};    // "deployments"
  bool synced{false};
  InformerStats stats{};
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_FACTORY_OPTIONS_H_
