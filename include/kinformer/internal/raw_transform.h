// kinformer/internal/raw_transform.h
//
// RawTransform: a transform of objects whose type only the informer's front knows.

#ifndef KINFORMER_INTERNAL_RAW_TRANSFORM_H_
#define KINFORMER_INTERNAL_RAW_TRANSFORM_H_

#include <functional>

#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"

namespace kinformer::internal {

// Returns the object to be stored in place of the one it is given.
using RawTransform = std::function<Result<ObjectRef>(ObjectRef)>;

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_RAW_TRANSFORM_H_
