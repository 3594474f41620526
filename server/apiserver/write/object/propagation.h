// apiserver/write/object/propagation.h
//
// Finalizers that represent the propagation policy of a delete.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_PROPAGATION_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_PROPAGATION_H_

#include <string_view>

#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

[[nodiscard]] bool HasFinalizer(const json::Value& object, std::string_view name);

// Sets the finalizers of a propagation policy (Orphan, Background, Foreground; empty: by the
// object's finalizers, else the default of the resource) on an object to be deleted. Returns true
// if they have changed.
bool SetPropagationFinalizers(const ServedResource& resource, std::string_view policy,
                              json::Value& object);

// Returns the policy that the object's finalizers represent; Background without any.
[[nodiscard]] std::string_view PolicyOf(const json::Value& object);

// Returns whether finalizers keep the object from being removed; for a namespace also those in its
// spec.
[[nodiscard]] bool HasFinalizers(const ServedResource& resource, const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_PROPAGATION_H_
