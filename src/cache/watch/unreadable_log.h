// cache/watch/unreadable_log.h
//
// UnreadableLog: says which objects are unreadable, and why.

#ifndef KINFORMER_CACHE_WATCH_UNREADABLE_LOG_H_
#define KINFORMER_CACHE_WATCH_UNREADABLE_LOG_H_

#include <set>
#include <string>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/internal/block.h"
#include "kinformer/object_name.h"

#include "base/core/log_allowance.h"

namespace kinformer::internal::cache {

// Each object is named once, until it has been readable or gone: one that changes often does not
// fill the log. Nor do many: the first twenty in a minute are named, the others counted.
// Loop-confined; client-go has no counterpart, since there nothing is unreadable.
class UnreadableLog {
 public:
  UnreadableLog(Env& env, std::string informer)
      : env_(env), informer_(std::move(informer)), allowance_(env) {}

  // `source`: what told of it. `why`: null where that is not known.
  void Unreadable(std::string_view source, std::string_view namespace_, std::string_view name,
                  const Error* why);
  void Readable(const Block& object) {
    if (!said_.empty()) Forget(object.namespace_(), object.name());
  }
  // It is gone, or readable.
  void Forget(std::string_view namespace_, std::string_view name);
  // What came together has been gone through: how many more there were is said.
  void TellHowMany();

 private:
  Env& env_;
  const std::string informer_;
  base::LogAllowance allowance_;
  std::set<ObjectName> said_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_UNREADABLE_LOG_H_
