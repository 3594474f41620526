// The controller of client-go's workqueue example: handlers put keys into a rate-limiting queue;
// workers take them, look up the object in the cache and act. A failed key is retried five times,
// with increasing delays.

#include <iostream>
#include <memory>
#include <syncstream>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/workqueue.h"

namespace corev1 = kinformer::corev1;
using kinformer::ObjectName;

class Controller {
 public:
  Controller(kinformer::Env& env, kinformer::SharedInformer<corev1::Pod> pods)
      : env_(env),
        queue_(env, kinformer::DefaultControllerRateLimiter<ObjectName>(env)),
        pods_(pods) {
    const auto enqueue = [this](const auto& e) { queue_.Add(e.object_name()); };
    handler_ =
        pods_.AddEventHandler({.on_add = enqueue, .on_update = enqueue, .on_delete = enqueue})
            .OrExit()
            .Scoped();
  }

  void Run(int workers, std::stop_token stop) {
    std::vector<std::unique_ptr<kinformer::Thread>> threads;
    for (int i = 0; i < workers; ++i) {
      threads.push_back(env_.NewThread("worker", [this, stop] {
        kinformer::Until(env_, stop, std::chrono::seconds(1), [this] {
          while (ProcessNextItem()) {
          }
        });
      }));
    }
    std::stop_callback on_stop(stop, [this] { queue_.ShutDown(); });
    for (auto& thread : threads) thread->Join();
  }

 private:
  bool ProcessNextItem() {
    const std::optional<ObjectName> key = queue_.Get();
    if (!key) return false;
    const kinformer::Result<void> result = SyncHandler(*key);
    if (result) {
      queue_.Forget(*key);
    } else if (queue_.NumRequeues(*key) < 5) {
      queue_.AddRateLimited(*key);
    } else {
      queue_.Forget(*key);
      std::cerr << "giving up on " << *key << ": " << result.error() << std::endl;
    }
    queue_.Done(*key);
    return true;
  }

  kinformer::Result<void> SyncHandler(const ObjectName& key) {
    auto pod = pods_.lister().Namespace(key.namespace_).Get(key.name);
    if (!pod) {
      if (!kinformer::IsAbsent(pod.error())) return pod.error();
      std::osyncstream(std::cout) << "pod " << key << " does not exist anymore" << std::endl;
      return {};
    }
    std::osyncstream(std::cout) << "sync " << key << " " << pod->status().phase() << std::endl;
    return {};
  }

  kinformer::Env& env_;
  kinformer::RateLimitingQueue<ObjectName> queue_;
  kinformer::SharedInformer<corev1::Pod> pods_;
  // The last member, so it is destroyed first: the handler uses the queue.
  kinformer::EventHandlerRegistration::ScopedRegistration handler_;
};

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SharedInformerFactory factory(client);
  Controller controller(client.env(), factory.InformerFor<corev1::Pod>());
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  std::osyncstream(std::cout) << "cache synced, starting workers" << std::endl;
  controller.Run(2, stop.token());
  factory.Shutdown();
}
