// kinformer/internal/reflector_core.h
//
// ReflectorCore: what Reflector<T> is without the objects' type, compiled once.

#ifndef KINFORMER_INTERNAL_REFLECTOR_CORE_H_
#define KINFORMER_INTERNAL_REFLECTOR_CORE_H_

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/list_watch.h"
#include "kinformer/object_name.h"
#include "kinformer/reflector_options.h"
#include "kinformer/result.h"

namespace kinformer::internal {

// ReflectorStore<T>, which says what these mean, without the type.
class RawReflectorStore {
 public:
  virtual ~RawReflectorStore() = default;
  virtual Result<void> Add(ObjectRef object) = 0;
  virtual Result<void> Update(ObjectRef object) = 0;
  virtual Result<void> Delete(ObjectRef object) = 0;
  virtual Result<void> Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
                               std::string_view resourceVersion) = 0;
  virtual Result<void> Resync() = 0;
  virtual Result<void> Bookmark(std::string_view resourceVersion) = 0;
  virtual Result<void> Unreadable(ObjectName name, bool deleted) = 0;
};

// Thread-safe. Not to be destroyed while it runs.
class ReflectorCore {
 public:
  // Objects of another type than `expected_type` are logged and ignored; null: any is taken.
  ReflectorCore(Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
                std::shared_ptr<RawReflectorStore> store, const TypeInfo* expected_type,
                ReflectorOptions options);
  ~ReflectorCore();
  ReflectorCore(const ReflectorCore&) = delete;
  ReflectorCore& operator=(const ReflectorCore&) = delete;

  // Start, then Stop once stop is requested. Blocks.
  Result<void> Run(const std::stop_token& stop);

  // Begins, on the loop, where it left off, and returns at once. kInvalidArgument: it runs.
  // kWouldDeadlock: on the loop, since Stop could not be called there.
  Result<void> Start();
  // Waits until nothing of it runs on the loop.
  void Stop();

  [[nodiscard]] std::string LastSyncResourceVersion() const;
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] Env& env() const;

 private:
  struct Impl;
  // Not in Impl, which tasks on the loop share: it may own the client, and the client the loop.
  const std::unique_ptr<ListerWatcher> lister_watcher_;
  const std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_REFLECTOR_CORE_H_
