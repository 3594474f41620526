// apiserver/builtin/defaults_scalars.h
//
// Canonical JSON form of single values, by the type of their field.

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_SCALARS_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_SCALARS_H_

#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Makes a value that is no message canonical. Returns false if it has the wrong type, or an unusual
// form.
bool CanonicalScalar(const internal::FieldDescriptor& field, json::Value& value);

// Returns whether the value, neither a message nor null, is of the type, canonical or not. False
// may be wrong: a full check is then needed.
bool FitsScalar(const internal::FieldDescriptor& field, const json::Value& value);

// Returns whether it is null, or zero in a field for which zero and absent are equal.
bool IsAbsent(const internal::FieldDescriptor& field, const json::Value& value);

// Returns the value of a field that was not sent but is always written.
json::Value ZeroOf(const internal::FieldDescriptor& field);

// Returns whether the image has the tag "latest", or neither tag nor digest.
bool IsLatestImage(std::string_view image);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_SCALARS_H_
