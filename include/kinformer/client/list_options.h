// kinformer/client/list_options.h
//
// ListOptions: the query parameters of list and watch requests, with the API's own names.
// Counterpart: metav1.ListOptions.

#ifndef KINFORMER_CLIENT_LIST_OPTIONS_H_
#define KINFORMER_CLIENT_LIST_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "kinformer/internal/callable.h"

namespace kinformer {

// Query parameters of a list or watch, with the API's names. Counterpart: metav1.ListOptions.
struct ListOptions {
  std::string labelSelector{};
  std::string fieldSelector{};
  // Selects by a hash; see ShardSelector (object/shard_selector.h), whose ToString gives the text.
  // Objects that do not match are left out here if the server sends them.
  std::string shardSelector{};
  // "": most recent; "0": any; else not older than this, or exactly this: see resourceVersionMatch.
  std::string resourceVersion{};
  std::string resourceVersionMatch{};  // "", "NotOlderThan", "Exact"
  std::int64_t limit{0};               // page size; 0: all
  std::string continue_{};             // end of the last page
  bool allowWatchBookmarks{false};
  std::optional<bool> sendInitialEvents{};
  std::optional<std::int64_t> timeoutSeconds{};
};

namespace internal {
struct TweakWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a tweak changes the options that it is called with: [](ListOptions& options) { "
                  "options.labelSelector = \"app=web\"; }");
  }
};
}  // namespace internal

// Changes the options of a list or watch. Counterpart: internalinterfaces.TweakListOptionsFunc.
using TweakListOptionsFunc = internal::Callable<void(ListOptions& options), internal::TweakWords>;

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_LIST_OPTIONS_H_
