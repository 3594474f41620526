// test/simulation/cached_contents.h
//
// Content of a cache, in a form that can be compared with the server's.

#ifndef KINFORMER_TEST_SIMULATION_CACHED_CONTENTS_H_
#define KINFORMER_TEST_SIMULATION_CACHED_CONTENTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/snapshot.h"

#include "simulation/server_history.h"

namespace kinformer::testing {

// The label that shows after which part of the alphabet an object's value is.
inline constexpr const char* kTier = "tier";
// 0: none.
[[nodiscard]] std::int64_t NumberOf(std::string_view resourceVersion);
[[nodiscard]] std::string KeyOf(const corev1::ConfigMap& object);
[[nodiscard]] ObjectState StateOf(const corev1::ConfigMap& object);
[[nodiscard]] Contents ContentsOf(const Snapshot<corev1::ConfigMap>& snapshot);
// " lacks default/a has default/b at 7 for 9": empty where they are equal.
[[nodiscard]] std::string DifferenceOf(const Contents& has, const Contents& wanted);

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_CACHED_CONTENTS_H_
