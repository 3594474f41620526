// apiserver/builtin/defaults.h
//
// Defaults: makes of the JSON that a client sent what a real API server has after it has decoded it
// into the struct of a built-in kind: members that the kind lacks are gone, those that it has stand
// in their order, what is empty is written or left out as Go does, quantities, times and maps are
// in their canonical form, and what nobody sent has its default. Doing it twice is doing it once.
// So what a client reads is what it gets again after it has written it back, and its comparisons
// settle.
//
// What defaulting does not do, since in a real server others do it after decoding, is in
// builtin_strategy.h.

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_H_

#include <cstddef>
#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/builtin/defaults_plan.h"

namespace kinformer::apiserver {

// Thread-safe. Errors name the member whose type is wrong.
class Defaults {
 public:
  // `object` is of the message; `kind`: "apps/v1 Deployment". After an error `object` is of no use.
  // kRequestEntityTooLarge: the defaults would add more than Added::kMost to the memory that it
  // takes, which is counted as they are added: three bytes of a list are a container.
  Result<void> Apply(const internal::MessageDescriptor& message, std::string_view kind,
                     json::Value& object);

  // Whether all members are the message's and of its types, so that there is nothing to say about
  // them. False: somebody has to look more closely.
  bool Fits(const internal::MessageDescriptor& message, std::string_view kind,
            const json::Value& object);

 private:
  DefaultPlans plans_{};
};

// Counts what defaults have added.
struct Added {
  static constexpr std::size_t kMost = std::size_t{16} << 20;
  std::size_t bytes = 0;
  [[nodiscard]] bool full() const { return bytes > kMost; }
};

// The same for one message. False: something in it has a form that needs a closer look, and stands
// as it was sent. Once `added` is full nothing more is filled in.
bool FillIn(const MessagePlan& plan, json::Value& object, Added& added);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_H_
