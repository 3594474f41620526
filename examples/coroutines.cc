// Coroutines in place of threads: counts the pods of each namespace with one request for each, all
// of them on their way at once, and follows the events of an informer, without a thread that waits.

#include <cstddef>
#include <iostream>
#include <stop_token>
#include <string>
#include <syncstream>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;
using kinformer::AsyncEventReader;
using kinformer::AsyncResourceClient;
using kinformer::AsyncSharedInformer;
using kinformer::Client;
using kinformer::Env;
using kinformer::ObjectList;
using kinformer::ReadEvent;
using kinformer::Result;
using kinformer::SharedInformer;
using kinformer::Task;

namespace {

Task<Result<std::size_t>> CountPods(AsyncResourceClient<corev1::Pod> pods) {
  const Result<ObjectList<corev1::Pod>> all = co_await pods.List();
  if (!all) co_return all.error();
  co_return all->size();
}

// Starts the counts of all namespaces, and does not wait for them.
Task<Result<void>> CountAll(Env& env, const Client& client) {
  const AsyncResourceClient namespaces(client.For<corev1::Namespace>());
  const AsyncResourceClient pods(client.For<corev1::Pod>());
  const Result<ObjectList<corev1::Namespace>> all = co_await namespaces.List();
  if (!all) co_return all.error();
  for (corev1::Namespace one : *all) {
    const std::string name(one.metadata().name());
    kinformer::Spawn(
        env, CountPods(pods.Namespace(name)), [name](const Result<std::size_t>& count) {
          std::osyncstream out(std::cout);
          out << name << ": "
              << (count ? std::to_string(*count) + " pods" : count.error().message()) << '\n';
        });
  }
  co_return Result<void>();
}

Task<Result<void>> Follow(SharedInformer<corev1::Pod> pods, std::stop_token stop) {
  Result<void> synced = co_await AsyncSharedInformer(pods).WaitForCacheSync(stop);
  if (!synced) co_return synced;
  AsyncEventReader<corev1::Pod> reader(NewEventReader(pods).OrExit());
  while (true) {
    const Result<std::vector<ReadEvent<corev1::Pod>>> batch = co_await reader.Next({}, stop);
    if (!batch) co_return batch.error();
    std::osyncstream out(std::cout);
    for (const ReadEvent<corev1::Pod>& event : *batch) out << event.key << '\n';
  }
}

}  // namespace

int main() {
  const kinformer::StopSource stop = kinformer::StopOnSignals();
  const Client client = Client::FromEnvironment().OrExit();
  Env& env = client.env();
  const Result<void> counted = kinformer::BlockOn(env, CountAll(env, client));
  if (!counted) std::cerr << counted.error() << '\n';

  kinformer::SharedInformerFactory factory(client);
  const SharedInformer<corev1::Pod> pods = factory.InformerFor<corev1::Pod>();
  factory.Start();
  const Result<void> followed = kinformer::BlockOn(env, Follow(pods, stop.token()));
  if (followed.error().reason() != kinformer::Reason::kCanceled) {
    std::cerr << followed.error() << '\n';
    return 1;
  }
}
