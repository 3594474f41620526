// cache/factory/factory_places.h
//
// FactoryPlaces: the namespaces that an informer of a factory covers, and what it selects in each.

#ifndef KINFORMER_CACHE_FACTORY_FACTORY_PLACES_H_
#define KINFORMER_CACHE_FACTORY_FACTORY_PLACES_H_

#include <compare>
#include <map>
#include <set>
#include <string>

#include "kinformer/cache/factory_options.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal::cache {

// Selectors that an informer sends to the server for one place, as the API writes them.
struct Selectors {
  std::string labels{};
  std::string fields{};
  std::string shards{};
  auto operator<=>(const Selectors&) const = default;
};

// Joins the terms of two selectors: the result selects what matches both.
[[nodiscard]] std::string Both(const std::string& a, const std::string& b);

struct FactoryPlaces {
  using Names = std::set<std::string, std::less<>>;

  // Selectors by place: a namespace, or kOtherNamespaces. A single place "" stands for all
  // namespaces, or for a cluster-scoped resource.
  std::map<std::string, Selectors, std::less<>> selectors{};
  // The factory's transform; empty: none.
  RawTransform transform{};

  [[nodiscard]] bool IsAll() const { return selectors.contains(""); }
  [[nodiscard]] bool HasOthers() const;
  // Returns the namespaces that are places of their own.
  [[nodiscard]] Names Named() const;
  // Returns the selectors to send to the server for a place. An unknown place gets those of "": an
  // informer of all namespaces may fall back to single ones. For kOtherNamespaces the field
  // selector excludes the namespaces that are places of their own.
  [[nodiscard]] Selectors AskedFor(const std::string& place) const;
  // Returns a text for messages: " in namespace default with labels app=web".
  [[nodiscard]] std::string ToString() const;
};

// Returns the places of an informer with the settings `own`, whose selectors apply in every place.
// Places equal to kOtherNamespaces are merged into it.
[[nodiscard]] FactoryPlaces PlacesOf(const SharedInformerFactoryOptions& options,
                                     const ResourceCacheOptions& resource, const KindInfo& type,
                                     const InformerSettings& own);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_FACTORY_FACTORY_PLACES_H_
