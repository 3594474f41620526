// apiserver/write/propagation.h
//
// The finalizers by which the delete of an owner says what becomes of its dependents.

#ifndef KINFORMER_APISERVER_WRITE_PROPAGATION_H_
#define KINFORMER_APISERVER_WRITE_PROPAGATION_H_

#include <string_view>

#include "kinformer/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

[[nodiscard]] bool HasFinalizer(const json::Value& object, std::string_view name);

// Puts the finalizers of a propagation policy (Orphan, Background, Foreground; empty: as the object
// has it, or else as is usual for the resource) into an object that is about to be deleted. True:
// they have changed.
bool SetPropagationFinalizers(const ServedResource& resource, std::string_view policy,
                              json::Value& object);

// The policy that an object's finalizers stand for; Background without any.
[[nodiscard]] std::string_view PolicyOf(const json::Value& object);

// Whether something keeps the object from going: its finalizers, and of a namespace those of its
// spec, too.
[[nodiscard]] bool HasFinalizers(const ServedResource& resource, const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_PROPAGATION_H_
