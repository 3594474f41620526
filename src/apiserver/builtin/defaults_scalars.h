// apiserver/builtin/defaults_scalars.h
//
// The canonical JSON form of single values, by the type of their field.

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_SCALARS_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_SCALARS_H_

#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json.h"

namespace kinformer::apiserver {

// Brings a value that is no message into its canonical form. False: it is not of the type, or not
// in a usual form of it.
bool CanonicalScalar(const internal::FieldDescriptor& field, json::Value& value);

// Whether the value, which is neither a message nor null, is of the type in any form, canonical or
// not. False may be wrong.
bool FitsScalar(const internal::FieldDescriptor& field, const json::Value& value);

// The same as absent: null, or the zero of a field for which zero and absent are one.
bool IsAbsent(const internal::FieldDescriptor& field, const json::Value& value);

// How a field is written that nobody sent and that is written nevertheless.
json::Value ZeroOf(const internal::FieldDescriptor& field);

// Whether an image means the tag "latest": it has that one, or neither tag nor digest.
bool IsLatestImage(std::string_view image);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_SCALARS_H_
