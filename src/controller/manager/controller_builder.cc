#include <cctype>

#include "kinformer/controller/builder.h"

namespace kinformer {

std::string internal::KindInLowerCase(const KindInfo& type) {
  std::string name(type.kind);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

std::string internal::GroupKindOf(const KindInfo& type) {
  std::string name(type.kind);
  if (!type.group.empty()) name.append(".").append(type.group);
  return name;
}

std::function<std::shared_ptr<internal::InformerCore>()> internal::InformerIn(
    SharedInformerFactory& cache, const KindInfo& type, bool metadata_only) {
  return [&cache, &type, metadata_only] {
    const KindInfo& form = metadata_only ? *MetadataKindInfo(type.group, type.version, type.kind,
                                                             type.resource, type.namespaced)
                                         : type;
    return cache.core().Get(form, SettingsOf(InformerOptions<Object>()), metadata_only);
  };
}

template class TypedControllerBuilder<Request>;

}  // namespace kinformer
