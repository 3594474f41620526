// object/transcode/transcode.h
//
// Converts a message between its JSON and its protobuf form, driven by its descriptor. The forms
// are those of Go's generated code, byte for byte: a struct or scalar that is not a pointer is
// written even if it is zero, a pointer only if set, fields in ascending order, map entries sorted
// by key; JSON in the order of the Go struct, with its omitempty rules and the escapes of
// encoding/json.
// Thread-safe, stateless, does not block. Errors are kDecode and name the place: a JSON path and
// byte offset, or a field. Counterpart: runtime/serializer/json and runtime/serializer/protobuf of
// apimachinery, without the envelope.

#ifndef KINFORMER_OBJECT_TRANSCODE_TRANSCODE_H_
#define KINFORMER_OBJECT_TRANSCODE_TRANSCODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/internal/descriptor.h"

#include "object/transcode/backward_writer.h"
#include "object/transcode/json_tape.h"
#include "object/transcode/kept_members.h"

namespace kinformer::internal {

// Unknown and duplicate fields in JSON, named as by the API server's strict field validation:
// `unknown field "spec.foo"`, `duplicate field "spec.containers[0].name"`. The total size of the
// texts is limited; `more` counts the problems without text.
struct FieldProblems {
  std::vector<std::string> unknown;
  std::vector<std::string> duplicate;
  std::size_t more = 0;
};

// Returns whether the message may contain kept members at any depth. False is always right; true
// may be wrong, but only for binary data.
bool HasKeptMembers(std::string_view message);

// Returns the message without an envelope. `json` is one JSON object, with or without kind and
// apiVersion. Members that the schema lacks are dropped or kept, and named in `problems` if given.
// A member that is null counts as absent.
Result<std::string> JsonToProtobuf(const MessageDescriptor& message, std::string_view json,
                                   FieldProblems* problems = nullptr,
                                   UnknownMembers unknown = UnknownMembers::kDrop);

// Like above for one value of a tape, written in front of the content of `out`, which is unusable
// after an error. `dropped`: name of a member that is dropped even if unknown members are kept.
Result<void> JsonToProtobuf(const MessageDescriptor& message, const JsonTape& tape,
                            std::uint32_t node, BackwardWriter& out,
                            UnknownMembers unknown = UnknownMembers::kDrop,
                            std::string_view dropped = {});

// Returns whether the message has, at any depth, fields that the schema lacks. Such fields are lost
// in JSON. Kept members do not count.
bool HasUnknownFields(const MessageDescriptor& message, std::string_view bytes);

// Appends the JSON of the message `bytes` to `out`. The object begins with `head`:
// `"kind":"Pod","apiVersion":"v1"` (see TypeMetaJson), or nothing. Kept members are written behind
// the known ones; other unknown fields are dropped. After an error `out` is unchanged.
Result<void> ProtobufToJson(const MessageDescriptor& message, std::string_view bytes,
                            std::string& out, std::string_view head = {});

// Returns `"kind":"Pod","apiVersion":"v1"`.
std::string TypeMetaJson(std::string_view kind, std::string_view api_version);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_TRANSCODE_H_
