// kinformer/cache/undelta_store.h
//
// UndeltaStore<T>: gives a function the whole collection at each change, for programs that rebuild
// a configuration from all objects.
//
//   auto store = std::make_shared<UndeltaStore<corev1::Endpoints>>(
//       env, [&](const ObjectRange<corev1::Endpoints>& all) { Write(all); });
//   Reflector<corev1::Endpoints> reflector(env, NewListWatch<corev1::Endpoints>(client), store);

#ifndef KINFORMER_CACHE_UNDELTA_STORE_H_
#define KINFORMER_CACHE_UNDELTA_STORE_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/object_range.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/cache/store.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// A store for a Reflector, and for a program's own writes. After each of them it calls a function,
// once, with all objects: a range in O(1), which may be kept. A write that fails calls nothing.
//
// Thread-safe, as is the store below. The function is called by whoever writes, a Reflector on the
// loop: it must be quick. Writes at the same time call it at the same time, and then the last call
// need not be that with the newest objects. Its exceptions pass through to the writer; a Reflector
// handles them as an error of the store. Counterpart: cache.UndeltaStore.
template <ObjectView T>
class UndeltaStore final : public ReflectorStore<T> {
 public:
  // Counterpart: cache.NewUndeltaStore.
  UndeltaStore(Env& env, std::function<void(const ObjectRange<T>& all)> push)
      : store_(env), push_(std::move(push)) {}

  Result<void> Add(const Ref<T>& object) override { return Pushed(store_.Add(object)); }
  Result<void> Update(const Ref<T>& object) override { return Pushed(store_.Update(object)); }
  Result<void> Delete(const Ref<T>& object) override { return Pushed(store_.Delete(object)); }
  // Keeps the last readable state of unreadable objects.
  Result<void> Replace(ReplacedAllInfo<T> list) override {
    for (const ObjectName& name : list.unreadable) {
      if (Ref<T> last = store_.GetByKey(name.ToString())) list.objects.push_back(std::move(last));
    }
    return Pushed(store_.Replace(list.objects, list.resourceVersion));
  }
  Result<void> Bookmark(std::string_view resourceVersion) override {
    return store_.Bookmark(resourceVersion);
  }
  Result<void> Unreadable(const ObjectName& name, bool deleted) override {
    return deleted ? Pushed(store_.DeleteByKey(name.ToString())) : Result<void>();
  }

  // ---- Reads, which call nothing

  [[nodiscard]] Ref<T> Get(const Ref<T>& object) const { return store_.Get(object); }
  [[nodiscard]] Ref<T> GetByKey(std::string_view key) const { return store_.GetByKey(key); }
  [[nodiscard]] ObjectRange<T> List() const { return store_.List(); }
  [[nodiscard]] std::vector<std::string> ListKeys() const { return store_.ListKeys(); }
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const {
    return store_.LastStoreSyncResourceVersion();
  }

 private:
  Result<void> Pushed(Result<void> written) {
    if (written) push_(store_.List());
    return written;
  }

  Store<T> store_;
  const std::function<void(const ObjectRange<T>& all)> push_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_UNDELTA_STORE_H_
