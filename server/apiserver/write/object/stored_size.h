// apiserver/write/object/stored_size.h
//
// Limit of the size of one stored object.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_STORED_SIZE_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_STORED_SIZE_H_

#include <cstddef>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Returns the error of a real server's storage if the object is too large. `at`: the resource in
// its stored version. `object`: the same as `stored`. `most`: 0: there is no limit.
[[nodiscard]] Result<void> CheckStoredSize(const ResourceAt& at, const StoredObject& stored,
                                           const json::Value& object, std::size_t most);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_STORED_SIZE_H_
