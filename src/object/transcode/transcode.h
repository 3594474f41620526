// object/transcode/transcode.h
//
// Between the JSON and the protobuf form of a message, driven by its descriptor. The forms are
// those of Go's generated code, byte for byte: a struct or scalar that is no pointer is written
// even when it is zero, pointers only when set, fields in ascending order, map entries sorted by
// key; JSON in the order of the Go struct, with its omitempty rules and encoding/json's escapes.
//
// Thread-safe, nothing blocks, no state. Errors are kDecode and say where: a JSON path and byte
// offset, or a field. Counterpart: runtime/serializer/json and runtime/serializer/protobuf of
// apimachinery, without the envelope.

#ifndef KINFORMER_OBJECT_TRANSCODE_TRANSCODE_H_
#define KINFORMER_OBJECT_TRANSCODE_TRANSCODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/result.h"

#include "object/transcode/backward_writer.h"
#include "object/transcode/json_tape.h"

namespace kinformer::internal {

// What is in the JSON but not in the schema, as the API server's strict field validation names it:
// `unknown field "spec.foo"`, `duplicate field "spec.containers[0].name"`.
// The texts are bounded in sum: `more` problems have none.
struct FieldProblems {
  std::vector<std::string> unknown;
  std::vector<std::string> duplicate;
  std::size_t more = 0;
};

// What becomes of JSON members that the schema lacks. Kept, each is a field of this number, the
// largest there is, in its message: its bytes are `"name":value`. ProtobufToJson writes them out
// again, so that an object from a newer server survives being read and changed. It is no encoding
// for others: HasKeptMembers says that an object must travel as JSON.
enum class UnknownMembers : std::uint8_t { kDrop, kKeep };
inline constexpr std::uint32_t kKeptMemberField = (1U << 29) - 1;

// Whether the bytes of a message may have kept members somewhere. Never a wrong no; a wrong yes
// only for binary data.
bool HasKeptMembers(std::string_view message);

// `json` is one JSON object, with or without kind and apiVersion. Gives the message without an
// envelope. Members that the schema lacks are dropped or kept and, where `problems` is given, named
// there. A member that is null counts as absent.
Result<std::string> JsonToProtobuf(const MessageDescriptor& message, std::string_view json,
                                   FieldProblems* problems = nullptr,
                                   UnknownMembers unknown = UnknownMembers::kDrop);

// The same of one value of a tape, written before what is in `out`. After an error `out` is of no
// use. `dropped`: the name of a member that is not kept though the schema lacks it.
Result<void> JsonToProtobuf(const MessageDescriptor& message, const JsonTape& tape,
                            std::uint32_t node, BackwardWriter& out,
                            UnknownMembers unknown = UnknownMembers::kDrop,
                            std::string_view dropped = {});

// Whether the message has, at any depth, fields that the schema lacks; kept members do not count.
// They do not survive as JSON.
bool HasUnknownFields(const MessageDescriptor& message, std::string_view bytes);

// Appends the JSON of the message `bytes` to `out`. `head` is put first in the object:
// `"kind":"Pod","apiVersion":"v1"` (see TypeMetaJson), or nothing. Kept members are written behind
// the known ones, other fields unknown to the schema are dropped. On an error `out` is as it was.
Result<void> ProtobufToJson(const MessageDescriptor& message, std::string_view bytes,
                            std::string& out, std::string_view head = {});

// `"kind":"Pod","apiVersion":"v1"`.
std::string TypeMetaJson(std::string_view kind, std::string_view api_version);

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_TRANSCODE_H_
