#include "cache/apply/intake.h"

#include <optional>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/indexer_core.h"

#include "base/core/user_call.h"

namespace kinformer::internal::cache {

bool Intake::IsForeign(std::string_view namespace_) {
  if (part_.Has(namespace_)) return false;
  if (!std::exchange(saw_foreign_, true)) {
    env_.log().Log(LogLevel::kError,
                   "the server sent an object of another namespace than was asked for; ignored",
                   {{"informer", informer_},
                    {"namespace", std::string(namespace_)},
                    {"asked_for", DescribedPlace(part_.key())}});
  }
  return true;
}

ObjectRef Intake::Transformed(ObjectRef object) {
  if (!transform_) return object;
  const ObjectRef received = object;
  std::optional<Result<ObjectRef>> result;
  const Result<void> called = base::CallUser(
      env_, "the transform", [&] { result = transform_(std::move(object)); },
      [&] { return informer_; });
  const bool moved = called && *result && **result && !part_.Has((**result)->namespace_());
  if (called && *result && **result && !moved) {
    const Block& kept = ***result;
    if (renamed_ &&
        (kept.uid() != received->uid() || kept.resourceVersion() != received->resourceVersion() ||
         kept.name() != received->name() || kept.namespace_() != received->namespace_())) {
      renamed_();
    }
    return std::move(**result);
  }
  const std::string what = !called   ? called.error().message()
                           : moved   ? "it gave the object another namespace, which an informer "
                                       "that looks at several does not allow"
                           : *result ? "it returned nothing"
                                     : result->error().ToString();
  env_.log().Log(LogLevel::kError, "the transform failed; the object counts as unreadable",
                 {{"informer", informer_}, {"key", KeyOfBlock(*received)}, {"err", what}});
  return {};
}

}  // namespace kinformer::internal::cache
