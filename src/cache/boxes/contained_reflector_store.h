// cache/boxes/contained_reflector_store.h
//
// ContainedReflectorStore: wraps a user's RawReflectorStore; exceptions become errors.

#ifndef KINFORMER_CACHE_BOXES_CONTAINED_REFLECTOR_STORE_H_
#define KINFORMER_CACHE_BOXES_CONTAINED_REFLECTOR_STORE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/reflector_core.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal::cache {

// Logs and counts what the store throws, and returns it as an error. As thread-safe as the store.
// `env` must outlive it; the store is shared.
class ContainedReflectorStore final : public RawReflectorStore {
 public:
  // `reflector`: name of the reflector in messages.
  ContainedReflectorStore(Env& env, std::shared_ptr<RawReflectorStore> inner,
                          std::string reflector);
  Result<void> Add(ObjectRef object) override;
  Result<void> Update(ObjectRef object) override;
  Result<void> Delete(ObjectRef object) override;
  Result<void> Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
                       std::string_view resourceVersion) override;
  Result<void> Resync() override;
  Result<void> Bookmark(std::string_view resourceVersion) override;
  Result<void> Unreadable(ObjectName name, bool deleted) override;

 private:
  template <class Call>
  Result<void> Contained(std::string_view method, const Call& call);

  Env& env_;
  const std::shared_ptr<RawReflectorStore> inner_;
  const std::string reflector_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_BOXES_CONTAINED_REFLECTOR_STORE_H_
