// apiserver/write/propagation.h
//
// The finalizers by which the delete of an owner says what becomes of its dependents.

#ifndef KINFORMER_APISERVER_WRITE_PROPAGATION_H_
#define KINFORMER_APISERVER_WRITE_PROPAGATION_H_

#include <string_view>

#include "kinformer/json.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

[[nodiscard]] bool HasFinalizer(const json::Value& object, std::string_view name);

// Puts the finalizers of a propagation policy (Orphan, Background, Foreground; empty: as the object
// has it) into an object that is about to be deleted. True: they have changed.
bool SetPropagationFinalizers(std::string_view policy, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_PROPAGATION_H_
