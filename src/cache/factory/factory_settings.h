// cache/factory/factory_settings.h
//
// FactorySettings: what an informer of a factory is made with: what it was asked for with, and what
// the factory's options say of its resource and of all.

#ifndef KINFORMER_CACHE_FACTORY_FACTORY_SETTINGS_H_
#define KINFORMER_CACHE_FACTORY_FACTORY_SETTINGS_H_

#include <functional>
#include <string>

#include "kinformer/factory_options.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/type_info.h"
#include "kinformer/list_options.h"
#include "kinformer/result.h"

#include "cache/factory/factory_places.h"

namespace kinformer::internal::cache {

struct FactorySettings {
  InformerSettings settings{};  // whose namespaces are those of `places`
  FactoryPlaces places{};
  bool cached = true;
  Result<void> known_paths{};  // whether its projection fits the type
};

// `metadata_only`: an informer of the metadata.
[[nodiscard]] FactorySettings Completed(const SharedInformerFactoryOptions& options,
                                        const TypeInfo& type, InformerSettings own,
                                        bool metadata_only);

// The factory's tweak, and then the selectors.
[[nodiscard]] std::function<void(ListOptions&)> Selecting(
    const Selectors& selectors, const std::function<void(ListOptions&)>& tweak);

// What messages call the informer: "pods in namespace default with labels app=web".
[[nodiscard]] std::string Described(const TypeInfo& type, const FactorySettings& settings);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_FACTORY_FACTORY_SETTINGS_H_
