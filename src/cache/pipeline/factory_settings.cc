#include "cache/pipeline/factory_settings.h"

#include <utility>

#include "cache/pipeline/informer_impl.h"

namespace kinformer::internal::cache {
namespace {

// The terms of two selectors: what matches both.
std::string Both(const std::string& a, const std::string& b) {
  return a + (a.empty() || b.empty() ? "" : ",") + b;
}

Selectors SelectorsOf(const LabelSelector& labels, const FieldSelector& fields) {
  // The API has no text for nothing.
  return {labels.MatchesNothing() ? "nothing,!nothing" : labels.ToString(), fields.ToString()};
}

// Where an informer looks that does not say so itself.
void SetWhere(const SharedInformerFactoryOptions& options, const ResourceCacheOptions& resource,
              const TypeInfo& type, InformerSettings& settings) {
  if (settings.namespace_.empty() && settings.namespaces.empty()) {
    settings.namespaces = resource.namespaces;
    if (settings.namespaces.empty()) {
      settings.namespace_ = options.namespace_;
      settings.namespaces = options.namespaces;
    }
  }
  if (settings.if_forbidden.IsDefault()) settings.if_forbidden = options.if_forbidden;
  // A namespace means nothing to a kind that has none.
  if (type.namespaced && NamespacesOf(settings).empty()) return;
  settings.if_forbidden = {};
  if (type.namespaced) return;
  settings.namespace_.clear();
  settings.namespaces.clear();
}

RawTransform Untyped(const TransformFunc& transform) {
  if (!transform) return {};
  return [transform](ObjectRef object) -> Result<ObjectRef> {
    Result<Ref<Object>> changed = transform(Ref<Object>(std::move(object)));
    if (!changed) return std::move(changed).error();
    return changed->object();
  };
}

}  // namespace

FactorySettings Completed(const SharedInformerFactoryOptions& options, const TypeInfo& type,
                          InformerSettings own, bool metadata_only) {
  static const ResourceCacheOptions* const kNothing = new ResourceCacheOptions;
  const auto found = options.by_resource.find(ResourceOfType(type));
  const ResourceCacheOptions& resource =
      found == options.by_resource.end() ? *kNothing : found->second;
  FactorySettings out{.settings = std::move(own)};
  InformerSettings& settings = out.settings;
  SetWhere(options, resource, type, settings);
  const Selectors of_factory =
      SelectorsOf(resource.label_selector.value_or(options.label_selector),
                  resource.field_selector.value_or(options.field_selector));
  const Selectors of_informer = SelectorsOf(settings.label_selector, settings.field_selector);
  out.selectors = {Both(of_factory.labels, of_informer.labels),
                   Both(of_factory.fields, of_informer.fields)};
  settings.drop_managed_fields = settings.drop_managed_fields ||
                                 resource.drop_managed_fields.value_or(options.drop_managed_fields);
  out.known_paths = settings.projection.CheckFor(type);
  if (settings.projection.empty()) {
    settings.projection = resource.projection.value_or(options.projection);
    // That of a resource is for its objects as a whole.
    if (resource.projection && !metadata_only) {
      out.known_paths = resource.projection->CheckFor(type);
    }
  }
  if (settings.resync_period == Duration(0)) {
    settings.resync_period = resource.resync_period.value_or(options.default_resync);
  }
  if (!settings.trace) settings.trace = options.trace;
  out.transform = Untyped(resource.transform ? resource.transform : options.transform);
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
  };
}

std::string Where(const InformerSettings& settings) {
  std::string text;
  for (const std::string& name : NamespacesOf(settings)) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string Described(const TypeInfo& type, const FactorySettings& settings) {
  const std::string where = Where(settings.settings);
  std::string text(type.resource);
  if (!type.group.empty()) text += "." + std::string(type.group);
  if (!where.empty()) {
    text += (where.find(',') == std::string::npos ? " in namespace " : " in namespaces ") + where;
  }
  if (!settings.selectors.labels.empty()) text += " with labels " + settings.selectors.labels;
  if (!settings.selectors.fields.empty()) text += " with fields " + settings.selectors.fields;
  return text;
}

}  // namespace kinformer::internal::cache
