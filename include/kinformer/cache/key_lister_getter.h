// kinformer/cache/key_lister_getter.h
//
// KeyListerGetter<T>: tells a queue (queue.h) which objects its consumer knows.

#ifndef KINFORMER_CACHE_KEY_LISTER_GETTER_H_
#define KINFORMER_CACHE_KEY_LISTER_GETTER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/cache/store.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Objects known to the consumer of a queue: its result of the changes popped so far.
//
// The queue asks on the thread that calls Pop, never while a process function runs, so process
// functions may write this without a lock. Counterpart: cache.KeyListerGetter.
template <ObjectView T>
class KeyListerGetter {
 public:
  virtual ~KeyListerGetter() = default;
  [[nodiscard]] virtual std::vector<std::string> ListKeys() const = 0;
  // Returns null if there is no such object.
  [[nodiscard]] virtual Ref<T> GetByKey(std::string_view key) const = 0;
};

// Objects of a Store or an Indexer, as known objects.
template <ObjectView T>
class StoreKeys final : public KeyListerGetter<T> {
 public:
  explicit StoreKeys(Store<T> store) : store_(std::move(store)) {}
  [[nodiscard]] std::vector<std::string> ListKeys() const override { return store_.ListKeys(); }
  [[nodiscard]] Ref<T> GetByKey(std::string_view key) const override {
    return store_.GetByKey(key);
  }

 private:
  const Store<T> store_;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_KEY_LISTER_GETTER_H_
