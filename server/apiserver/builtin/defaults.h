// apiserver/builtin/defaults.h
//
// Defaults: converts the JSON sent by a client to the JSON that a real API server has after
// decoding it into the struct of a built-in kind: removes unknown members, orders the known ones,
// writes or omits empty values as Go does, makes quantities, times and maps canonical, and sets
// defaults. The result is a fixed point: applying it again changes nothing. So clients read back
// exactly what they wrote, and controllers that compare the object they read with the one they want
// come to rest.
//
// Changes that a real server makes in later stages, after decoding, are not made here but by
// BuiltinStrategy (builtin_strategy.h).

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

#include "apiserver/builtin/defaults_plan.h"

namespace kinformer::apiserver {

// Thread-safe. Errors name the member of the wrong type.
class Defaults {
 public:
  // `object` is of the message; `kind`: "apps/v1 Deployment". `object` is unusable after an error.
  // kRequestEntityTooLarge: the defaults would add more than Added::kMost (fill_in.h) to the memory
  // of the object, counted as they are added: three bytes of a list may become a whole container.
  Result<void> Apply(const internal::MessageDescriptor& message, std::string_view kind,
                     json::Value& object);

  // Returns whether all members are known and of the right types. False means that a full check is
  // needed.
  bool Fits(const internal::MessageDescriptor& message, std::string_view kind,
            const json::Value& object);

 private:
  DefaultPlans plans_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_H_
