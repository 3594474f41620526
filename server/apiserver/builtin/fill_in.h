// apiserver/builtin/fill_in.h
//
// FillIn: sets the defaults that a MessagePlan describes.

#ifndef KINFORMER_APISERVER_BUILTIN_FILL_IN_H_
#define KINFORMER_APISERVER_BUILTIN_FILL_IN_H_

#include <cstddef>

#include "kinformer/json/json.h"

#include "apiserver/builtin/message_plan.h"

namespace kinformer::apiserver {

// Counts the memory that defaults have added.
struct Added {
  static constexpr std::size_t kMost = std::size_t{16} << 20;
  std::size_t bytes = 0;
  [[nodiscard]] bool full() const { return bytes > kMost; }
};

// Sets the defaults of one message. Returns false if something in it has an unusual form, which is
// left as sent. Stops filling in when `added` is full.
bool FillIn(const MessagePlan& plan, json::Value& object, Added& added);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_FILL_IN_H_
