// apiserver/write/generated_name.h
//
// Names of new objects: those that generateName asks for, and those that are taken.

#ifndef KINFORMER_APISERVER_WRITE_GENERATED_NAME_H_
#define KINFORMER_APISERVER_WRITE_GENERATED_NAME_H_

#include <string>

#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Whether the object asked for a name, which it has got then: a free one, most likely.
bool GenerateNameOf(Env& env, const ServedResource& resource, json::Value& metadata);

// `generated`: the name is one that the server chose.
[[nodiscard]] Error NameTaken(const ServedResource& resource, const std::string& name,
                              bool terminating, bool generated);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_GENERATED_NAME_H_
