// cache/store/empty_name.h
//
// EmptyName: the error of a read whose name is empty. No object has such a name, so "not found"
// would be taken for a deleted object where only an argument is missing or in the wrong place.

#ifndef KINFORMER_CACHE_STORE_EMPTY_NAME_H_
#define KINFORMER_CACHE_STORE_EMPTY_NAME_H_

#include <cstdint>
#include <string_view>

#include "kinformer/error.h"

namespace kinformer::internal::cache {

// How the caller writes a namespace and a name.
enum class NameForm : std::uint8_t {
  kArguments,   // Get("default", "web-0"), of listers and readers
  kObjectName,  // {"default", "web-0"}, of clients
};

// kInvalidArgument. `resource` is the name that messages use for the objects: "pods". The namespace
// is quoted where there is one, because most callers have put the name there. `wants_namespace`:
// the call needs one beside the name.
[[nodiscard]] Error EmptyName(std::string_view resource, bool wants_namespace,
                              std::string_view namespace_, NameForm form);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_EMPTY_NAME_H_
