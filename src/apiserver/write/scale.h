// apiserver/write/scale.h
//
// The scale subresource: an autoscaling/v1 Scale that is read from and written to an object: of a
// custom resource at the paths of its definition, of any other at spec.replicas, status.replicas
// and spec.selector.

#ifndef KINFORMER_APISERVER_WRITE_SCALE_H_
#define KINFORMER_APISERVER_WRITE_SCALE_H_

#include <string_view>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// The Scale of an object; `at` has that subresource. A custom object without replicas has 0 of them
// with `for_change`; otherwise that is an error.
Result<json::Value> ScaleOf(const ResourceAt& at, const json::Value& object,
                            bool for_change = false);

// Whether that is a Scale for the object of that name.
Result<void> CheckScale(const ResourceAt& at, std::string_view name, const json::Value& scale);
// And whether it is one that there can be.
Result<void> CheckReplicas(const ResourceAt& at, std::string_view name, const json::Value& scale);

// Writes the replicas of a Scale into the object, together with the resourceVersion and uid that it
// depends on.
Result<void> ApplyScale(const ResourceAt& at, const json::Value& scale, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_SCALE_H_
