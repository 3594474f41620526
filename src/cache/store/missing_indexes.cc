#include "cache/store/missing_indexes.h"

#include "kinformer/base/log.h"

namespace kinformer::internal::cache {

void MissingIndexes::AskedFor(std::string_view index, const Error& error) {
  base::MutexLock lock(mutex_);
  if (env_ == nullptr || said_.size() >= kMost || said_.contains(index)) return;
  said_.emplace(index);
  env_->log().Log(LogLevel::kWarning,
                  "an index was asked for that does not exist, so that nothing is found; look at "
                  "ok() of what is read",
                  {{"store", store_}, {"index", std::string(index)}, {"err", error.ToString()}});
}

void MissingIndexes::Close() {
  base::MutexLock lock(mutex_);
  env_ = nullptr;
}

}  // namespace kinformer::internal::cache
