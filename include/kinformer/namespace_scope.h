// kinformer/namespace_scope.h
//
// Informers that look at several namespaces, one by one: what is asked of them, and how each
// namespace goes.
//
//   auto both = factory.InformerFor<corev1::Pod>({.namespaces = {"blue", "green"}});
//   auto all = factory.InformerFor<corev1::Pod>({.if_forbidden = {.namespaces = {"blue"}}});
//
// Such an informer is one cache: one store with one version, one set of handlers. Each namespace is
// listed and watched by itself, and may lag, fail and recover by itself.

#ifndef KINFORMER_NAMESPACE_SCOPE_H_
#define KINFORMER_NAMESPACE_SCOPE_H_

#include <string>
#include <vector>

namespace kinformer {

// What an informer of all namespaces does where the server forbids it to list them all (403) before
// its first list. By default it says so, and tries again. It looks again at everything when it is
// started the next time.
//
// For the informers of factories. An error in the log where an informer is given a ListerWatcher,
// which looks where it does; and `watch_namespaces` where it is given a NamespacedListWatch, which
// cannot list Namespaces.
struct IfForbidden {
  // Looks in these instead. Objects elsewhere are out of its scope then.
  std::vector<std::string> namespaces{};
  // Where no namespaces are named: looks in each one that exists, for which it lists and watches
  // Namespaces, in their turn a thing to be allowed. Those that come later are looked into as they
  // come; what was in one that is gone leaves the cache. Which ones there are is compared with a
  // list of them once in a consistency_check_period.
  bool watch_namespaces{false};

  [[nodiscard]] bool IsDefault() const { return namespaces.empty() && !watch_namespaces; }
};

}  // namespace kinformer

#endif  // KINFORMER_NAMESPACE_SCOPE_H_
