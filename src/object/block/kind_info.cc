#include "kinformer/internal/kind_info.h"

#include <map>
#include <mutex>
#include <tuple>

#include "kinformer/internal/descriptor.h"

#include "object/block/metav1_descriptors.h"

namespace kinformer {

std::string KindInfo::apiVersion() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

namespace internal {
namespace {

// Kinds made at run time. Never freed, because pointers to them may outlive everything else.
class Interned {
 public:
  const KindInfo* Get(std::string_view group, std::string_view version, std::string_view kind,
                      std::string_view resource, bool namespaced,
                      const MessageDescriptor* message) {
    const std::lock_guard lock(mutex_);
    Key key{std::string(group), std::string(version), std::string(kind), std::string(resource),
            namespaced};
    const auto [it, added] = types_.try_emplace(std::move(key));
    if (added) {
      const Key& names = it->first;
      it->second = {.group = std::get<0>(names),
                    .version = std::get<1>(names),
                    .kind = std::get<2>(names),
                    .resource = std::get<3>(names),
                    .singular = {},
                    .namespaced = namespaced,
                    .message = message};
    }
    return &it->second;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string, bool>;
  std::mutex mutex_;
  std::map<Key, KindInfo> types_;
};

}  // namespace

const KindInfo* DynamicKindInfo(std::string_view group, std::string_view version,
                                std::string_view kind, std::string_view resource, bool namespaced) {
  static auto* const types = new Interned;
  return types->Get(group, version, kind, resource, namespaced, nullptr);
}

const KindInfo* MetadataKindInfo(std::string_view group, std::string_view version,
                                 std::string_view kind, std::string_view resource,
                                 bool namespaced) {
  static auto* const types = new Interned;
  return types->Get(group, version, kind, resource, namespaced,
                    &descriptors::metav1::kPartialObjectMetadata);
}

}  // namespace internal
}  // namespace kinformer
