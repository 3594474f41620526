// The copies of objects that a conversion webhook has converted: counted, compacted, restored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "apiserver/testing/webhook_conversion_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;

const GroupVersionResource kWidgetsV2{
    .group = "example.com", .version = "v2", .resource = "widgets"};

class ConvertedState : public WebhookConversion {};

TEST_F(ConvertedState, Stats_CountCopiesAndTheirWatchesButNoObjectTwice) {
  Make("a", 7);
  const ApiServerStats before = server_.server().Stats();
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=7"));
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=7"));
  const ApiServerStats after = server_.server().Stats();
  EXPECT_EQ(after.objects, before.objects);
  EXPECT_EQ(after.watches, before.watches + 1);
  EXPECT_GT(after.stored_bytes, before.stored_bytes + 100);
  EXPECT_LT(after.stored_bytes, before.stored_bytes + 10'000);
}

TEST_F(ConvertedState, Compact_DiscardsTheHistoryOfCopies) {
  Make("a", 7);
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=7"));
  const std::string old = std::to_string(server_.server().current_resource_version());
  Resize("a", 8);
  EXPECT_THAT(Seen(*watch), ElementsAre("MODIFIED a=8"));
  const std::string exact = kV2 + "?resourceVersionMatch=Exact&resourceVersion=" + old;
  EXPECT_EQ(server_.Get(exact).status, 200);
  server_.server().Compact(server_.server().current_resource_version());
  EXPECT_EQ(server_.Get(exact).status, 410);
}

TEST_F(ConvertedState, Restore_ForgetsCopies) {
  Make("a", 7);
  const std::int64_t then = server_.server().current_resource_version();
  Resize("a", 8);
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=8"));
  server_.server().Restore(then).OrExit();
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=7"));
}

TEST_F(ConvertedState, InProcessCalls_DoNotAskTheWebhook) {
  Make("a", 7);
  hook_.asked.clear();
  for (const Error& error :
       {server_.server().Get(kWidgetsV2, {"default", "a"}).error(),
        server_.server().List(kWidgetsV2).error(),
        server_.server().Patch(kWidgetsV2, {"default", "a"}, Json("{}")).error()}) {
    EXPECT_EQ(error.reason(), server_.server().List(kWidgetsV2).error().reason());
    EXPECT_FALSE(error.message().empty());
  }
  EXPECT_EQ(hook_.asked.size(), 0U);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
