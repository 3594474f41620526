#include "cache/boxes/contained_reflector_store.h"

#include <utility>

#include "base/core/user_call.h"

namespace kinformer::internal::cache {

ContainedReflectorStore::ContainedReflectorStore(Env& env, std::shared_ptr<RawReflectorStore> inner,
                                                 std::string reflector)
    : env_(env), inner_(std::move(inner)), reflector_(std::move(reflector)) {}

template <class Call>
Result<void> ContainedReflectorStore::Contained(std::string_view method, const Call& call) {
  return base::CallUserForResult(env_, method, call, [this] { return reflector_; });
}

Result<void> ContainedReflectorStore::Add(ObjectRef object) {
  return Contained("ReflectorStore::Add", [&] { return inner_->Add(std::move(object)); });
}

Result<void> ContainedReflectorStore::Update(ObjectRef object) {
  return Contained("ReflectorStore::Update", [&] { return inner_->Update(std::move(object)); });
}

Result<void> ContainedReflectorStore::Delete(ObjectRef object) {
  return Contained("ReflectorStore::Delete", [&] { return inner_->Delete(std::move(object)); });
}

Result<void> ContainedReflectorStore::Replace(std::vector<ObjectRef> objects,
                                              std::vector<ObjectName> unreadable,
                                              std::string_view resourceVersion) {
  return Contained("ReflectorStore::Replace", [&] {
    return inner_->Replace(std::move(objects), std::move(unreadable), resourceVersion);
  });
}

Result<void> ContainedReflectorStore::Resync() {
  return Contained("ReflectorStore::Resync", [&] { return inner_->Resync(); });
}

Result<void> ContainedReflectorStore::Bookmark(std::string_view resourceVersion) {
  return Contained("ReflectorStore::Bookmark", [&] { return inner_->Bookmark(resourceVersion); });
}

Result<void> ContainedReflectorStore::Unreadable(ObjectName name, bool deleted) {
  return Contained("ReflectorStore::Unreadable",
                   [&] { return inner_->Unreadable(std::move(name), deleted); });
}

}  // namespace kinformer::internal::cache
