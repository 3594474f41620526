// kinformer/cache/namespace_scope.h
//
// Informers that watch several namespaces separately: their options, and the state of each
// namespace.
//
//   auto both = factory.InformerFor<corev1::Pod>({.namespaces = {"blue", "green"}});
//   auto all = factory.InformerFor<corev1::Pod>({.if_forbidden = {.namespaces = {"blue"}}});
//
// Such an informer is one cache: one store with one version, one set of handlers. Each namespace is
// listed and watched separately, and may lag, fail and recover independently.

#ifndef KINFORMER_CACHE_NAMESPACE_SCOPE_H_
#define KINFORMER_CACHE_NAMESPACE_SCOPE_H_

#include <string>
#include <vector>

namespace kinformer {

// Fallback of an informer of all namespaces if the server forbids it to list them all (403) before
// its first list. By default it logs this and tries again. The next start tries all namespaces
// again.
//
// For informers of factories. If an informer is given a ListerWatcher, which has its own scope,
// this is logged as an error; so is `watch_namespaces` with a NamespacedListWatch, which cannot
// list Namespaces.
struct IfForbidden {
  // Watches these instead. Objects elsewhere are then out of its scope.
  std::vector<std::string> namespaces{};
  // If `namespaces` is empty: watches each existing namespace. To find them, it lists and watches
  // Namespaces, which must be allowed. New namespaces are added when they appear; objects of a
  // deleted one are removed from the cache. The set of namespaces is compared with a list once per
  // consistency_check_period.
  bool watch_namespaces{false};

  [[nodiscard]] bool IsDefault() const { return namespaces.empty() && !watch_namespaces; }
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_NAMESPACE_SCOPE_H_
