// cache/store/empty_name.h
//
// EmptyName: the error for a read with an empty name. No object has such a name, so "not found"
// would suggest a deleted object when in fact an argument is missing or misplaced.

#ifndef KINFORMER_CACHE_STORE_EMPTY_NAME_H_
#define KINFORMER_CACHE_STORE_EMPTY_NAME_H_

#include <cstdint>
#include <string_view>

#include "kinformer/base/error.h"

namespace kinformer::internal::cache {

// Syntax in which callers of the function write a namespace and a name.
enum class NameForm : std::uint8_t {
  kArguments,   // Get("default", "web-0") of listers and readers
  kObjectName,  // {"default", "web-0"} of clients
};

// Returns kInvalidArgument. `resource` names the objects in messages: "pods". Quotes the namespace
// if given, as most callers have put the name there. `wants_namespace`: the call needs a namespace
// besides the name.
[[nodiscard]] Error EmptyName(std::string_view resource, bool wants_namespace,
                              std::string_view namespace_, NameForm form);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_EMPTY_NAME_H_
