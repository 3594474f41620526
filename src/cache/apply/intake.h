// cache/apply/intake.h
//
// Intake: decides which of the received objects belong to a part of a store, and in which form.

#ifndef KINFORMER_CACHE_APPLY_INTAKE_H_
#define KINFORMER_CACHE_APPLY_INTAKE_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_transform.h"

#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

// Confined to the loop. The constructor's reference arguments must outlive it.
class Intake {
 public:
  // `informer`: its name in messages. `transform`: of the program; empty: none. `renamed`: called
  // when the transform changes a key, uid or version; may be empty.
  Intake(Env& env, const std::string& informer, const StorePart& part, RawTransform transform,
         std::function<void()> renamed)
      : env_(env),
        informer_(informer),
        part_(part),
        transform_(std::move(transform)),
        renamed_(std::move(renamed)) {}

  // Returns whether the namespace belongs to another part of the store; logs the first one.
  [[nodiscard]] bool IsForeign(std::string_view namespace_);
  [[nodiscard]] bool transforms() const { return static_cast<bool>(transform_); }
  // Returns the object as the program's transform leaves it; null: it counts as unreadable.
  [[nodiscard]] ObjectRef Transformed(ObjectRef object);

 private:
  Env& env_;
  const std::string& informer_;
  const StorePart& part_;
  const RawTransform transform_;
  const std::function<void()> renamed_;
  bool saw_foreign_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_INTAKE_H_
