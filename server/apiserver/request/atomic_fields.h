// apiserver/request/atomic_fields.h
//
// Objects of built-in kinds that are whole values for a server-side apply: they are replaced, and
// not merged, and have one owner.

#ifndef KINFORMER_APISERVER_REQUEST_ATOMIC_FIELDS_H_
#define KINFORMER_APISERVER_REQUEST_ATOMIC_FIELDS_H_

#include "kinformer/internal/descriptor.h"

namespace kinformer::apiserver {

// A map of that message: the selectors of pods and nodes.
[[nodiscard]] bool IsAtomicMap(const internal::MessageDescriptor& message,
                               const internal::FieldDescriptor& field);
// A message; `field`: where it stands, null for an element of a list.
[[nodiscard]] bool IsAtomicMessage(const internal::MessageDescriptor& message,
                                   const internal::FieldDescriptor* field);
// A member of the message; `field`: null for an unknown one.
[[nodiscard]] bool IsAtomic(const internal::MessageDescriptor& message,
                            const internal::FieldDescriptor* field);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_ATOMIC_FIELDS_H_
