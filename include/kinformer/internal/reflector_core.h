// kinformer/internal/reflector_core.h
//
// ReflectorCore: untyped half of Reflector<T>, compiled once.

#ifndef KINFORMER_INTERNAL_REFLECTOR_CORE_H_
#define KINFORMER_INTERNAL_REFLECTOR_CORE_H_

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/reflector_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/object/object_name.h"

namespace kinformer::internal {

// Untyped ReflectorStore<T>, which documents the methods.
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

// A reflector. Thread-safe. Must not be destroyed while it runs.
class ReflectorCore {
 public:
  // Creates a reflector. Objects of another type than `expected_type`, if set, are only logged.
  ReflectorCore(Env& env, std::unique_ptr<ListerWatcher> lister_watcher,
                std::shared_ptr<RawReflectorStore> store, const KindInfo* expected_type,
                ReflectorOptions options);
  ~ReflectorCore();
  ReflectorCore(const ReflectorCore&) = delete;
  ReflectorCore& operator=(const ReflectorCore&) = delete;

  // Starts, and stops when `stop` is requested. Blocks.
  Result<void> Run(const std::stop_token& stop);

  // Starts, on the loop, where it stopped, and returns at once. kInvalidArgument: it is running.
  // kWouldDeadlock: on the loop, where Stop could not be called.
  Result<void> Start();
  // Stops, and waits until it has no work on the loop.
  void Stop();

  [[nodiscard]] std::string LastSyncResourceVersion() const;
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] Env& env() const;

 private:
  struct Impl;
  // Not in Impl, which tasks on the loop share: it may own the client, and the client the loop.
  const Pimpl<ListerWatcher> lister_watcher_;
  const std::shared_ptr<Impl> impl_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_REFLECTOR_CORE_H_
