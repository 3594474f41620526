// A whole informer inside the event loop of its host: no thread of the client runs a loop.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"

#include "integration/believer.h"
#include "integration/embedded_server.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;

// Drives the loop until `done` holds. Handlers run elsewhere, so the host looks again after a
// while.
bool DriveUntil(Runtime& runtime, const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    pollfd fd{.fd = runtime.Fd(), .events = POLLIN, .revents = 0};
    if (poll(&fd, 1, 10) == 1) runtime.RunReady();
  }
  return true;
}

TEST(HostLoopTest, AnInformerFollowsTheServerInsideAHostsLoop) {
  EmbeddedServer server;
  server.Put("before", "1");
  const auto believer = std::make_shared<Believer<ConfigMap>>();
  Runtime runtime({.host_driven_loop = true});
  auto client = Client::NewForConfig(runtime.env(), server.ClientConfig());
  ASSERT_TRUE(client.ok()) << client.error();
  {
    SharedInformer<ConfigMap> informer(runtime.env(), NewFilteredListWatch<ConfigMap>(*client));
    const EventHandlerRegistration registration =
        informer
            .AddEventHandler(std::static_pointer_cast<ResourceEventHandler<ConfigMap>>(believer))
            .OrExit();
    informer.Start();
    EXPECT_EQ(informer.WaitForCacheSync({}).error().reason(), Reason::kWouldDeadlock)
        << "who waited here would wait for itself";
    const auto follows = [&] {
      const State state = server.ServerState();
      return CacheState(informer) == state && believer->believed() == state;
    };
    EXPECT_TRUE(DriveUntil(runtime, [&] { return informer.HasSynced(); }));
    EXPECT_TRUE(DriveUntil(runtime, follows));
    server.Put("after", "1");
    server.Delete("before");
    EXPECT_TRUE(DriveUntil(runtime, follows));
    server.CloseConnections();
    server.Put("later", "1");
    EXPECT_TRUE(DriveUntil(runtime, follows));
    EXPECT_THAT(believer->breaches(), ::testing::IsEmpty());
  }
  // The Runtime runs the tasks that informer and client have left to the loop.
}

}  // namespace
}  // namespace kinformer::testing
