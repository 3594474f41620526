// apiserver/custom_scale.h
//
// The scale subresource of custom resources: an autoscaling/v1 Scale that is read from and written to the paths of the definition.

#ifndef KINFORMER_SRC_APISERVER_CUSTOM_SCALE_H_
#define KINFORMER_SRC_APISERVER_CUSTOM_SCALE_H_

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/resource_table.h"

namespace kinformer::apiserver {

// The Scale of an object. With `for_patch`, an object without replicas has 0 of them; otherwise that is an error.
Result<json::Value> ScaleOfCustom(const ResourceAt& at, const json::Value& object,
                                  bool for_patch = false);

// What is wrong with a Scale that was sent for the object of that name.
Result<void> CheckCustomScale(const ResourceAt& at, std::string_view name,
                              const json::Value& scale);

// Writes the replicas of a Scale into the object, together with the resourceVersion and uid that it depends on.
Result<void> ApplyCustomScale(const ResourceAt& at, const json::Value& scale, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CUSTOM_SCALE_H_
