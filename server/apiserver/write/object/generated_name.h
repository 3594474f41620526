// apiserver/write/object/generated_name.h
//
// Names of new objects: generated ones, and errors for names that are taken.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_GENERATED_NAME_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_GENERATED_NAME_H_

#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Sets a name, most likely a free one, if the object requests it. Returns whether it did.
bool GenerateNameOf(Env& env, const ServedResource& resource, json::Value& metadata);

// `generated`: the server has generated the name.
[[nodiscard]] Error NameTaken(const ServedResource& resource, const std::string& name,
                              bool terminating, bool generated);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_GENERATED_NAME_H_
