#include "cache/factory/factory_places.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "cache/store/store_part.h"

namespace kinformer::internal::cache {
namespace {

using ByNamespace = std::map<std::string, NamespaceCacheOptions>;

Selectors SelectorsOf(const LabelSelector& labels, const FieldSelector& fields) {
  // The API has no empty selector that matches nothing.
  return {labels.MatchesNothing() ? "nothing,!nothing" : labels.ToString(), fields.ToString(), {}};
}

// Options of a factory for one place. The first source that sets an option wins.
struct Said {
  const LabelSelector* labels = nullptr;
  const FieldSelector* fields = nullptr;
  const TransformFunc* transform = nullptr;

  // `Options`: NamespaceCacheOptions or ResourceCacheOptions.
  template <class Options>
  void Hear(const Options& options) {
    if (labels == nullptr && options.label_selector) labels = &*options.label_selector;
    if (fields == nullptr && options.field_selector) fields = &*options.field_selector;
    if (transform == nullptr && options.transform) transform = &options.transform;
  }
  void HearOf(const ByNamespace& namespaces, const std::string& name) {
    if (const auto found = namespaces.find(name); found != namespaces.end()) Hear(found->second);
  }
};

// `name` empty: the options for all other namespaces, or for all.
Said SaidOf(const SharedInformerFactoryOptions& options, const ResourceCacheOptions& resource,
            const KindInfo& type, const std::string& name) {
  Said said;
  if (type.namespaced) said.HearOf(resource.by_namespace, name);
  said.Hear(resource);
  if (type.namespaced) said.HearOf(options.by_namespace, name);
  if (said.labels == nullptr) said.labels = &options.label_selector;
  if (said.fields == nullptr) said.fields = &options.field_selector;
  if (said.transform == nullptr && options.transform) said.transform = &options.transform;
  return said;
}

void Add(const std::vector<std::string>& namespaces, const ByNamespace& by_namespace,
         FactoryPlaces::Names& names) {
  names.insert(namespaces.begin(), namespaces.end());
  for (const auto& [name, what] : by_namespace) names.insert(name);
}

// Returns the places of the informer; "" stands for the rest. The most specific options win.
FactoryPlaces::Names NamesOf(const SharedInformerFactoryOptions& options,
                             const ResourceCacheOptions& resource, const KindInfo& type,
                             const InformerSettings& own) {
  FactoryPlaces::Names names;
  // Namespaces do not apply to a cluster-scoped kind.
  if (!type.namespaced) return {""};
  Add(own.namespaces, {}, names);
  if (!own.namespace_.empty()) names.insert(own.namespace_);
  if (names.empty()) Add(resource.namespaces, resource.by_namespace, names);
  if (names.empty()) {
    Add(options.namespaces, options.by_namespace, names);
    if (!options.namespace_.empty()) names.insert(options.namespace_);
  }
  if (names.empty()) names.insert("");
  return names;
}

RawTransform Untyped(const TransformFunc* transform) {
  if (transform == nullptr) return {};
  return [transform = *transform](ObjectRef object) -> Result<ObjectRef> {
    Result<AnyRef> changed = transform(AnyRef(std::move(object)));
    if (!changed) return std::move(changed).error();
    return (*changed).object();
  };
}

// Returns a transform that applies the transform of each object's place.
RawTransform Joined(const std::map<std::string, const TransformFunc*>& places) {
  const TransformFunc* const first = places.begin()->second;
  const bool same =
      std::ranges::all_of(places, [&](const auto& place) { return place.second == first; });
  if (same) return Untyped(first);
  std::map<std::string, RawTransform, std::less<>> each;
  for (const auto& [place, transform] : places) each[place] = Untyped(transform);
  return [each = std::move(each)](ObjectRef object) -> Result<ObjectRef> {
    auto found = each.find(object->namespace_());
    if (found == each.end()) found = each.find(kOtherNamespaces);
    if (found == each.end() || !found->second) return object;
    return found->second(std::move(object));
  };
}

std::string SelectedText(const Selectors& selectors) {
  std::string text;
  if (!selectors.labels.empty()) text += " with labels " + selectors.labels;
  if (!selectors.fields.empty()) text += " with fields " + selectors.fields;
  if (!selectors.shards.empty()) text += " in " + selectors.shards;
  return text;
}

}  // namespace

std::string Both(const std::string& a, const std::string& b) {
  return a + (a.empty() || b.empty() ? "" : ",") + b;
}

bool FactoryPlaces::HasOthers() const { return selectors.contains(kOtherNamespaces); }

FactoryPlaces::Names FactoryPlaces::Named() const {
  Names names;
  for (const auto& [place, selected] : selectors) names.insert(place);
  names.erase("");
  names.erase(std::string(kOtherNamespaces));
  return names;
}

Selectors FactoryPlaces::AskedFor(const std::string& place) const {
  auto found = selectors.find(place);
  if (found == selectors.end()) found = selectors.find("");
  Selectors asked = found == selectors.end() ? Selectors() : found->second;
  if (place != kOtherNamespaces) return asked;
  std::string without;
  for (const std::string& name : Named()) without = Both(without, "metadata.namespace!=" + name);
  asked.fields = Both(without, asked.fields);
  return asked;
}

std::string FactoryPlaces::ToString() const {
  const Selectors& first = selectors.begin()->second;
  if (IsAll()) return SelectedText(first);
  const Names names = Named();
  const bool same =
      std::ranges::all_of(selectors, [&](const auto& one) { return one.second == first; });
  std::string text;
  if (same) {
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    if (HasOthers()) text += " and all others";
    return (selectors.size() == 1 ? " in namespace " : " in namespaces ") + text +
           SelectedText(first);
  }
  const auto add = [&](const std::string& place) {
    text += (text.empty() ? " in " : ", in ") + DescribedPlace(place) +
            SelectedText(selectors.find(place)->second);
  };
  for (const std::string& name : names) add(name);
  if (HasOthers()) add(std::string(kOtherNamespaces));
  return text;
}

FactoryPlaces PlacesOf(const SharedInformerFactoryOptions& options,
                       const ResourceCacheOptions& resource, const KindInfo& type,
                       const InformerSettings& own) {
  const Selectors of_informer = SelectorsOf(own.label_selector, own.field_selector);
  const ShardSelector& shards =
      own.shard_selector.MatchesEverything() ? resource.shard_selector : own.shard_selector;
  FactoryPlaces out;
  std::map<std::string, const TransformFunc*> transforms;
  for (const std::string& name : NamesOf(options, resource, type, own)) {
    const Said said = SaidOf(options, resource, type, name);
    const Selectors of_factory = SelectorsOf(*said.labels, *said.fields);
    out.selectors[name] = {Both(of_factory.labels, of_informer.labels),
                           Both(of_factory.fields, of_informer.fields), shards.ToString()};
    transforms[name] = said.transform;
  }
  if (out.IsAll()) {
    const Selectors others = out.selectors[""];
    const TransformFunc* const transform = transforms[""];
    std::erase_if(out.selectors, [&](const auto& one) {
      return !one.first.empty() && one.second == others && transforms[one.first] == transform;
    });
    std::erase_if(transforms, [&](const auto& one) { return !out.selectors.contains(one.first); });
    if (out.selectors.size() > 1) {
      const std::string key(kOtherNamespaces);
      out.selectors.erase("");
      out.selectors[key] = others;
      transforms.erase("");
      transforms[key] = transform;
    }
  }
  out.transform = Joined(transforms);
  return out;
}

}  // namespace kinformer::internal::cache
