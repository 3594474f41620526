// object/transcode/kept_members.h
//
// UnknownMembers: whether members that a schema lacks survive in the protobuf form.

#ifndef KINFORMER_OBJECT_TRANSCODE_KEPT_MEMBERS_H_
#define KINFORMER_OBJECT_TRANSCODE_KEPT_MEMBERS_H_

#include <cstdint>

namespace kinformer::internal {

// Policy for JSON members that the schema lacks. A kept member is stored in its message as the
// field with the largest possible number; its bytes are `"name":value`. ProtobufToJson writes it
// out again, so an object from a newer server survives a read and a change. Other programs do not
// know this encoding: if HasKeptMembers is true, send the object as JSON.
enum class UnknownMembers : std::uint8_t { kDrop, kKeep };
inline constexpr std::uint32_t kKeptMemberField = (1U << 29) - 1;

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_TRANSCODE_KEPT_MEMBERS_H_
