// cache/watch/unreadable_log.h
//
// UnreadableLog: logs which objects are unreadable, and why.

#ifndef KINFORMER_CACHE_WATCH_UNREADABLE_LOG_H_
#define KINFORMER_CACHE_WATCH_UNREADABLE_LOG_H_

#include <set>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/internal/block.h"
#include "kinformer/object/object_name.h"

#include "base/core/log_allowance.h"

namespace kinformer::internal::cache {

// Names each object once, until it was readable or deleted, so that frequent changes do not fill
// the log. Names the first twenty objects per minute and counts the others. Confined to the loop;
// no counterpart in client-go, where no object is unreadable.
class UnreadableLog {
 public:
  UnreadableLog(Env& env, std::string informer)
      : env_(env), informer_(std::move(informer)), allowance_(env) {}

  // `source`: "list", "watch" or "watch-list", where it was found. `why`: null if unknown.
  void Unreadable(std::string_view source, std::string_view namespace_, std::string_view name,
                  const Error* why);
  void Readable(const Block& object) {
    if (!said_.empty()) Forget(object.namespace_(), object.name());
  }
  // Forgets an object that was deleted or is readable again.
  void Forget(std::string_view namespace_, std::string_view name);
  // Logs how many more objects were unreadable, after a list or a chunk of events.
  void TellHowMany();

 private:
  Env& env_;
  const std::string informer_;
  base::LogAllowance allowance_;
  std::set<ObjectName> said_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_UNREADABLE_LOG_H_
