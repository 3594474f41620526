// cache/factory/factory_places.h
//
// FactoryPlaces: where an informer of a factory looks, and what it keeps of what is there.

#ifndef KINFORMER_CACHE_FACTORY_FACTORY_PLACES_H_
#define KINFORMER_CACHE_FACTORY_FACTORY_PLACES_H_

#include <compare>
#include <map>
#include <set>
#include <string>

#include "kinformer/factory_options.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/type_info.h"

namespace kinformer::internal::cache {

// What an informer asks the server to select in one place, as the API writes it.
struct Selectors {
  std::string labels;
  std::string fields;
  auto operator<=>(const Selectors&) const = default;
};

// The terms of two selectors: what matches both.
[[nodiscard]] std::string Both(const std::string& a, const std::string& b);

struct FactoryPlaces {
  using Names = std::set<std::string, std::less<>>;

  // What is selected in each place: a namespace, or kOtherNamespaces. Or in one under "": in all
  // namespaces, or of a kind that has none.
  std::map<std::string, Selectors, std::less<>> selectors{};
  // The factory's; empty: none.
  RawTransform transform{};

  [[nodiscard]] bool IsAll() const { return selectors.contains(""); }
  [[nodiscard]] bool HasOthers() const;
  // The namespaces that have a place of their own.
  [[nodiscard]] Names Named() const;
  // What the server is asked for in that place; of one that is none, as where an informer of all
  // namespaces looks at single ones instead, what is asked for in all. kOtherNamespaces: without
  // those that have a place of their own.
  [[nodiscard]] Selectors AskedFor(const std::string& place) const;
  // As messages say it: " in namespace default with labels app=web".
  [[nodiscard]] std::string ToString() const;
};

// The informer is asked for with `own`, of which the selectors hold in each place. Places that
// differ in nothing from all others are among these.
[[nodiscard]] FactoryPlaces PlacesOf(const SharedInformerFactoryOptions& options,
                                     const ResourceCacheOptions& resource, const TypeInfo& type,
                                     const InformerSettings& own);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_FACTORY_FACTORY_PLACES_H_
