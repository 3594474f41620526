// Transports to webhooks that a network server caches.

#include "kinformer/apiserver/webhook_network.h"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/runtime.h"

namespace kinformer::apiserver {
namespace {

TEST(WebhookNetworkTest, KeepsTheAddressesThatWereAskedLastAndNoMore) {
  Runtime runtime;
  const auto network = WebhookNetwork(runtime.env());
  std::vector<std::weak_ptr<Transport>> made;
  const auto ask = [&](int i) {
    made.emplace_back(
        network({.base_url = "https://hook" + std::to_string(i) + ".example.com", .service = {}}));
    EXPECT_FALSE(i == 0 && made.back().expired());
  };
  for (int i = 0; i < 760; ++i) {
    ask(i);
    ask(0);
  }
  std::vector<std::shared_ptr<Transport>> alive;
  for (const auto& transport : made) {
    if (auto there = transport.lock()) alive.push_back(std::move(there));
  }
  std::ranges::sort(alive);
  alive.erase(std::unique(alive.begin(), alive.end()), alive.end());
  EXPECT_EQ(alive.size(), 16U) << "each may hold a connection";
  EXPECT_EQ(made.front().lock(), made.back().lock()) << "what is asked often stays";
}

}  // namespace
}  // namespace kinformer::apiserver
