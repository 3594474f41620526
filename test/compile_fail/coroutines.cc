// Mistakes of coroutines: temporaries in what they await, and tasks without a Result.
// case-gcc options_in_braces: NamedVariable
// case-clang options_in_braces: (no matching member function|designated initializer list)
// case temporary_options: name a variable before it
// case temporary_object: name a variable before it
// case temporary_lambda: name a variable before it
// case-gcc object_name_in_braces: NamedVariable
// case-clang object_name_in_braces: no matching member function
// case temporary_object_name: name a variable before it
// case temporary_written_object: name a variable before it
// case view_is_written: DeepCopy
// case temporary_resource: name a variable before it
// case spawn_without_result: Spawn takes a Task<Result<T>>
// case foreign_coroutine: for coroutines that return kinformer::Task

#include <coroutine>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client.h"
#include "kinformer/controller/async_delegating_client.h"

namespace corev1 = kinformer::corev1;
using kinformer::Task;
using Pods = kinformer::AsyncResourceClient<corev1::Pod>;

// A coroutine of another library.
struct Foreign {
  struct promise_type {
    Foreign get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

Task<int> Number() { co_return 1; }

Task<int> Use(Pods pods, kinformer::Env& env, std::string text) {
  (void)env;
  (void)pods;
  (void)text;
#ifdef options_in_braces
  (void)co_await pods.Get("web-0", {.resourceVersion = "0"});
#elif defined temporary_options
  (void)co_await pods.Get("web-0", kinformer::GetOptions());
#elif defined temporary_object
  (void)co_await pods.Create(corev1::Pod::Mutable());
#elif defined temporary_lambda
  (void)co_await pods.Watch({}, [text](const auto&) { return text.empty(); });
#elif defined spawn_without_result
  kinformer::Spawn(env, Number());
#endif
  co_return 0;
}

Task<int> UseCached(kinformer::AsyncDelegatingClient cached, corev1::Pod pod) {
  (void)cached;
  (void)pod;
#ifdef object_name_in_braces
  (void)co_await cached.Get<corev1::Pod>({"default", "web-0"});
#elif defined temporary_object_name
  (void)co_await cached.Get<corev1::Pod>(kinformer::ObjectName{"default", "web-0"});
#elif defined temporary_written_object
  (void)co_await cached.Create(corev1::Pod::Mutable());
#elif defined view_is_written
  (void)co_await cached.Update(pod);
#endif
  co_return 0;
}

#ifdef temporary_resource
void UseDiscovery(const kinformer::Client& client) {
  (void)kinformer::AsyncDiscoveryClient(client).MappingFor(
      kinformer::GroupVersionResource{"apps", "v1", "deployments"});
}
#endif

#ifdef foreign_coroutine
Foreign UseForeign(Pods pods) { (void)co_await pods.Get("web-0"); }
#endif
