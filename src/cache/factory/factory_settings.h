// cache/factory/factory_settings.h
//
// FactorySettings: settings of an informer of a factory, merged from those requested for it, the
// options of its resource, and the options of the factory.

#ifndef KINFORMER_CACHE_FACTORY_FACTORY_SETTINGS_H_
#define KINFORMER_CACHE_FACTORY_FACTORY_SETTINGS_H_

#include <functional>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/cache/factory_options.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/client/list_options.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/object/kind_info.h"

#include "cache/factory/factory_places.h"

namespace kinformer::internal::cache {

struct FactorySettings {
  InformerSettings settings{};  // its namespaces are those of `places`
  FactoryPlaces places{};
  bool cached = true;
  Result<void> known_paths{};  // an error if its projection does not fit the type
};

// `metadata_only`: the informer caches object metadata only.
[[nodiscard]] FactorySettings Completed(const SharedInformerFactoryOptions& options,
                                        const KindInfo& type, InformerSettings own,
                                        bool metadata_only);

// Returns a tweak that calls the factory's and then adds the selectors.
[[nodiscard]] std::function<void(ListOptions&)> Selecting(
    const Selectors& selectors, const std::function<void(ListOptions&)>& tweak);

// Returns the informer's name for messages: "pods in namespace default with labels app=web".
[[nodiscard]] std::string Described(const KindInfo& type, const FactorySettings& settings);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_FACTORY_FACTORY_SETTINGS_H_
