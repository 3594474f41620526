// Allocations of a request in its three forms.

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <iostream>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/client/async_resource_client.h"

#include "base/core/testing/counted_heap.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

constexpr std::size_t kRequests = 100;
using ConfigMaps = AsyncResourceClient<corev1::ConfigMap>;

class AsyncCostTest : public ::testing::Test {
 protected:
  AsyncCostTest() {
    server_.fallback = [](const HttpRequest&) {
      return testing::Json(R"({"kind":"ConfigMap","apiVersion":"v1",)"
                           R"("metadata":{"name":"a","namespace":"default"}})");
    };
  }
  // Returns the allocations for each of the requests that `run` makes.
  template <class Run>
  std::size_t Cost(const Run& run) {
    EXPECT_TRUE(sim_.RunBlocking([&] { run(); }, std::chrono::minutes(1)));
    const std::size_t before = testing::heap.calls;
    EXPECT_TRUE(sim_.RunBlocking([&] { run(); }, std::chrono::minutes(1)));
    return (testing::heap.calls - before) / kRequests;
  }

  Simulation sim_;
  testing::ScriptedServer server_;
  const Client client_ =
      Client::ForTransport(sim_.env(), NewInMemoryTransport(sim_.env(), server_), {.qps = -1});
};

Task<Result<void>> GetAll(ConfigMaps maps) {
  for (std::size_t i = 0; i < kRequests; ++i) {
    const Result<Ref<corev1::ConfigMap>> got = co_await maps.Get("a");
    if (!got) co_return got.error();
  }
  co_return Result<void>();
}

TEST_F(AsyncCostTest, AnAwaitedRequest_AllocatesNoMoreThanABlockingOne) {
  const ResourceClient<corev1::ConfigMap> maps = client_.For<corev1::ConfigMap>("default");
  const std::size_t blocking = Cost([&] {
    for (std::size_t i = 0; i < kRequests; ++i) EXPECT_TRUE(maps.Get("a").ok());
  });
  const std::size_t awaited =
      Cost([&] { EXPECT_TRUE(BlockOn(sim_.env(), GetAll(ConfigMaps(maps))).ok()); });
  std::cout << "allocations: blocking " << blocking << ", awaited " << awaited << '\n';
  EXPECT_LE(awaited, blocking);
}

}  // namespace
}  // namespace kinformer
