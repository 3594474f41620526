#include "cache/factory/factory_settings.h"

#include <utility>

namespace kinformer::internal::cache {
namespace {

void SetWhere(const SharedInformerFactoryOptions& options, const KindInfo& type,
              const FactoryPlaces& places, InformerSettings& settings) {
  const FactoryPlaces::Names names = places.Named();
  settings.namespace_.clear();
  settings.namespaces.assign(names.begin(), names.end());
  if (settings.if_forbidden.IsDefault()) settings.if_forbidden = options.if_forbidden;
  if (!type.namespaced || !places.IsAll()) settings.if_forbidden = {};
}

}  // namespace

FactorySettings Completed(const SharedInformerFactoryOptions& options, const KindInfo& type,
                          InformerSettings own, bool metadata_only) {
  static const ResourceCacheOptions* const kNothing = new ResourceCacheOptions;
  const auto found = options.by_resource.find(ResourceOfType(type));
  const ResourceCacheOptions& resource =
      found == options.by_resource.end() ? *kNothing : found->second;
  FactorySettings out{.settings = std::move(own)};
  InformerSettings& settings = out.settings;
  out.places = PlacesOf(options, resource, type, settings);
  SetWhere(options, type, out.places, settings);
  settings.drop_managed_fields = settings.drop_managed_fields ||
                                 resource.drop_managed_fields.value_or(options.drop_managed_fields);
  out.known_paths = settings.projection.CheckFor(type);
  if (settings.projection.empty()) {
    settings.projection = resource.projection.value_or(options.projection);
    // A resource's projection is written for the full type, so it is checked only for that.
    if (resource.projection && !metadata_only) {
      out.known_paths = resource.projection->CheckFor(type);
    }
  }
  if (settings.resync_period == Duration(0)) {
    settings.resync_period = resource.resync_period.value_or(options.default_resync);
  }
  if (!settings.trace) settings.trace = options.trace;
  out.cached = resource.cached;
  return out;
}

std::function<void(ListOptions&)> Selecting(const Selectors& selectors,
                                            const std::function<void(ListOptions&)>& tweak) {
  if (selectors == Selectors()) return tweak;
  return [selectors, tweak](ListOptions& options) {
    if (tweak) tweak(options);
    options.labelSelector = Both(options.labelSelector, selectors.labels);
    options.fieldSelector = Both(options.fieldSelector, selectors.fields);
    if (!selectors.shards.empty()) options.shardSelector = selectors.shards;
  };
}

std::string Described(const KindInfo& type, const FactorySettings& settings) {
  std::string text(type.resource);
  if (!type.group.empty()) text += "." + std::string(type.group);
  return text + settings.places.ToString();
}

}  // namespace kinformer::internal::cache
