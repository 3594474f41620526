// The copies that a conversion webhook makes for one version: when it is called, what it is asked
// for, and which copies are kept.

#include <chrono>
#include <cstddef>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/testing/webhook_conversion_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class VersionCacheTest : public WebhookConversion {
 protected:
  // Calls `run` once, before the next answer of the webhook.
  void DuringTheNextCall(std::function<void(json::Value& answer)> run) {
    hook_.change = [this, run = std::move(run)](json::Value& answer) {
      const auto once = std::exchange(hook_.change, nullptr);
      run(answer);
    };
  }
  void Compact() { server_.server().Compact(server_.server().current_resource_version()); }
  std::string Version() { return std::to_string(server_.server().current_resource_version()); }
  std::vector<std::string> Listed() { return Lengths(server_.Get(kV2)); }
};

TEST_F(VersionCacheTest, WebhookThatFails_IsCalledOnceASecondWhileThereIsAWatch) {
  Make("a", 1);
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1"));
  TakeAsked();
  hook_.status = 500;
  Resize("a", 2);
  EXPECT_THAT(Seen(*watch), IsEmpty());
  EXPECT_THAT(TakeAsked(), ElementsAre(1U));
  Resize("a", 3);
  EXPECT_THAT(Seen(*watch), IsEmpty());
  EXPECT_THAT(TakeAsked(), IsEmpty()) << "a write does not hasten it";
  server_.sim().RunFor(seconds(10));
  EXPECT_EQ(TakeAsked(), std::vector<std::size_t>(10, 2));
  EXPECT_EQ(server_.Get(kV2).status, 500);
  EXPECT_THAT(TakeAsked(), ElementsAre(2U)) << "a list does";
  server_.sim().RunFor(seconds(10));
  EXPECT_EQ(TakeAsked(), std::vector<std::size_t>(10, 2)) << "from then on";
  hook_.status = 200;
  EXPECT_THAT(Seen(*watch, seconds(1)), ElementsAre("MODIFIED a=2", "MODIFIED a=3"));
  EXPECT_THAT(TakeAsked(), ElementsAre(2U));
}

TEST_F(VersionCacheTest, WebhookThatFails_IsNotCalledAgainForNobody) {
  Make("a", 1);
  EXPECT_THAT(Listed(), ElementsAre("a=1"));
  const std::string then = Version();
  hook_.status = 500;
  Resize("a", 2);
  EXPECT_EQ(server_.Get(kV2).status, 500);
  TakeAsked();
  const std::string path = kV2 + "?watch=1&resourceVersion=" + then;
  hook_.status = 200;
  // And a watch that comes then need not wait.
  EXPECT_THAT(Seen(*server_.Open(path)), ElementsAre("MODIFIED a=2"));
  EXPECT_THAT(TakeAsked(), ElementsAre(1U));
  hook_.status = 500;
  {
    const auto watch = server_.Open(path);
    Resize("a", 3);
    EXPECT_THAT(Seen(*watch), ElementsAre("MODIFIED a=2"));
  }
  EXPECT_THAT(TakeAsked(), ElementsAre(1U));
  server_.sim().RunFor(seconds(10));
  EXPECT_THAT(TakeAsked(), IsEmpty()) << "the watch has ended";
}

TEST_F(VersionCacheTest, DefinitionThatGoes_EndsTheCallsOfItsWebhook) {
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), IsEmpty());
  hook_.status = 500;
  Make("a", 1);
  EXPECT_THAT(Seen(*watch, seconds(2)), IsEmpty());
  EXPECT_THAT(TakeAsked(), ElementsAre(1U, 1U, 1U));
  ASSERT_EQ(server_.Do("DELETE", std::string(kDefinitions) + "/widgets.example.com").status, 200);
  EXPECT_THAT(Seen(*watch, seconds(10)), IsEmpty());
  EXPECT_TRUE(watch->ended());
  EXPECT_THAT(TakeAsked(), IsEmpty());
}

// After a failure each object is asked for alone; then the calls grow again.
TEST_F(VersionCacheTest, Calls_HaveOneObjectAfterAFailureAndThenTwiceAsManyEachTime) {
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), IsEmpty());
  hook_.status = 500;
  for (int i = 0; i < 10; ++i) Make("w" + std::to_string(i), i);
  EXPECT_THAT(Seen(*watch), IsEmpty());
  TakeAsked();
  hook_.status = 200;
  DuringTheNextCall([](json::Value& answer) {
    answer.Ensure("response").Set("result", Json(R"({"status":"Failure","message":"cannot"})"));
  });
  EXPECT_THAT(Seen(*watch, seconds(1)), SizeIs(10));
  EXPECT_THAT(TakeAsked(), ElementsAre(10U, 1U, 2U, 4U, 3U));
}

TEST_F(VersionCacheTest, FirstOfTwoEvents_IsSentIfTheSecondCannotBeConverted) {
  const auto watch = server_.Open(kV2 + "?watch=1");
  EXPECT_THAT(Seen(*watch), IsEmpty());
  hook_.status = 500;
  Make("a", 1);
  Make("bad", 2);
  EXPECT_THAT(Seen(*watch), IsEmpty());
  hook_.status = 200;
  hook_.bad = "bad";
  EXPECT_THAT(Seen(*watch, seconds(1)), ElementsAre("ADDED a=1"));
}

TEST_F(VersionCacheTest, HistoryThatIsGone_MakesAllCopiesAnew) {
  Make("a", 1);
  Make("b", 2);
  Make("c", 3);
  EXPECT_THAT(Listed(), ElementsAre("a=1", "b=2", "c=3"));
  EXPECT_THAT(TakeAsked(), ElementsAre(3U));
  Resize("a", 4);
  ASSERT_EQ(server_.Do("DELETE", kV1 + "/b").status, 200);
  Make("d", 5);
  Compact();
  EXPECT_THAT(Listed(), ElementsAre("a=4", "c=3", "d=5"));
  EXPECT_THAT(TakeAsked(), ElementsAre(3U));
  // History that goes up to the last copy is enough.
  Compact();
  Resize("a", 6);
  EXPECT_THAT(Listed(), ElementsAre("a=6", "c=3", "d=5"));
  EXPECT_THAT(TakeAsked(), ElementsAre(1U));
}

TEST_F(VersionCacheTest, HistoryThatIsGone_EndsAWatchThatWouldMissEvents) {
  Make("a", 1);
  EXPECT_THAT(Listed(), ElementsAre("a=1"));
  Resize("a", 2);
  Compact();
  const auto watch = server_.Open(kV2 + "?watch=1&resourceVersion=" + Version());
  EXPECT_THAT(Seen(*watch), IsEmpty());
  EXPECT_TRUE(watch->ended());
}

TEST_F(VersionCacheTest, Copies_HaveNoHistoryBeforeTheFirstRead) {
  Make("a", 1);
  const std::string before = Version();
  Resize("a", 2);
  EXPECT_THAT(Listed(), ElementsAre("a=2"));
  EXPECT_EQ(server_.Get(kV2 + "?resourceVersionMatch=Exact&resourceVersion=" + Version()).status,
            200);
  EXPECT_EQ(server_.Get(kV2 + "?resourceVersionMatch=Exact&resourceVersion=" + before).status, 410);
}

TEST_F(VersionCacheTest, WriteDuringTheFirstConversion_IsSeenAlsoWithoutHistory) {
  Make("a", 1);
  DuringTheNextCall([this](json::Value&) {
    Resize("a", 5);
    Compact();
  });
  EXPECT_THAT(Listed(), ElementsAre("a=5"));
  EXPECT_THAT(TakeAsked(), ElementsAre(1U, 1U));
}

TEST_F(VersionCacheTest, CompactionWithoutAWrite_DoesNotRepeatTheFirstConversion) {
  Make("a", 1);
  DuringTheNextCall([this](json::Value&) { Compact(); });
  EXPECT_THAT(Listed(), ElementsAre("a=1"));
  EXPECT_THAT(TakeAsked(), ElementsAre(1U));
}

TEST_F(VersionCacheTest, FirstConversionInSeveralCalls_BeginsAgainIfHistoryIsGone) {
  for (int i = 0; i < 300; ++i) Make("w" + std::to_string(i), i);
  DuringTheNextCall([this](json::Value&) {
    Resize("w7", 777);
    Compact();
  });
  const std::vector<std::string> listed = Listed();
  EXPECT_THAT(listed, SizeIs(300));
  EXPECT_THAT(listed, ::testing::Contains("w7=777"));
  EXPECT_THAT(TakeAsked(), ElementsAre(256U, 256U, 44U));
}

TEST_F(VersionCacheTest, List_DoesNotWaitForWritesThatFollowIt) {
  Make("a", 1);
  const auto write_and_fail = [this](int size) {
    DuringTheNextCall([this, size](json::Value&) {
      Resize("a", size);
      hook_.status = 500;
    });
  };
  write_and_fail(2);
  EXPECT_THAT(Listed(), ElementsAre("a=1")) << "of the first conversion";
  hook_.status = 200;
  const std::string then = Version();
  write_and_fail(3);
  const Reply list = server_.Get(kV2);
  EXPECT_THAT(Lengths(list), ElementsAre("a=2")) << "of an event";
  EXPECT_EQ(list.Json().At("/metadata/resourceVersion").StringOrEmpty(), then);
}

TEST_F(VersionCacheTest, RequestsDuringTheFirstConversion_AreAnsweredAfterIt) {
  Make("a", 1);
  hook_.silent = true;
  const auto list = server_.Open(kV2);
  server_.sim().RunFor(seconds(1));
  EXPECT_EQ(TakeAsked().size(), 1U);
  // The copies are empty so far.
  EXPECT_GT(server_.server().Stats().stored_bytes, 0U);
  Compact();
  const auto other = server_.Open(kV2);
  server_.sim().RunFor(seconds(1));
  EXPECT_THAT(TakeAsked(), IsEmpty());
  hook_.silent = false;
  server_.sim().RunFor(seconds(30));
  for (OpenReply* const reply : {list.get(), other.get()}) {
    reply->Pull();
    EXPECT_EQ(reply->reply().status, 500) << reply->reply().body;
  }
}

TEST_F(VersionCacheTest, Restore_EndsRequestsThatWaitForAConversion) {
  Make("a", 1);
  const std::int64_t then = server_.server().current_resource_version();
  hook_.silent = true;
  const auto waits = server_.Open(kV2);
  server_.sim().RunFor(seconds(1));
  const auto begins = server_.Open(kV2);
  server_.server().Restore(then).OrExit();
  server_.sim().RunFor(milliseconds(10));
  for (OpenReply* const reply : {waits.get(), begins.get()}) {
    reply->Pull();
    EXPECT_THAT(Message(reply->reply()), ::testing::HasSubstr("503 ServiceUnavailable "));
  }
  hook_.silent = false;
  EXPECT_THAT(Listed(), ElementsAre("a=1"));
}

// Each version that is read costs as much memory as the objects themselves.
class VersionCachesTest : public VersionCacheTest {
 protected:
  static json::Value WithVersions(int count) {
    json::Value definition = Definition();
    json::Array& versions = definition.Ensure("spec", "versions").EnsureArray();
    for (int i = 3; i <= count; ++i) {
      versions.push_back(json::Value(versions[1]));
      versions.back().Set("name", "v" + std::to_string(i));
    }
    return definition;
  }
  void SetUp() override {
    Define(WithVersions(10));
    Make("a", 1);
  }
  static std::string PathOf(int version) {
    return "/apis/example.com/v" + std::to_string(version) + "/namespaces/default/widgets";
  }
  // Lists a version. Returns whether its copies were there.
  bool IsKept(int version) {
    EXPECT_THAT(Lengths(server_.Get(PathOf(version))), ElementsAre("a=1"));
    return TakeAsked().empty();
  }
  // Reads the versions from 2 to 9, the most of which copies are kept.
  void ReadEight() {
    for (int i = 2; i <= 9; ++i) EXPECT_FALSE(IsKept(i)) << i;
  }
};

TEST_F(VersionCachesTest, NinthVersion_TakesThePlaceOfTheOneThatWasReadLongestAgo) {
  ReadEight();
  for (int i = 2; i <= 9; ++i) EXPECT_TRUE(IsKept(i)) << i;
  EXPECT_TRUE(IsKept(2));
  EXPECT_FALSE(IsKept(10));
  for (const int kept : {2, 4, 9, 10}) EXPECT_TRUE(IsKept(kept)) << kept;
  EXPECT_FALSE(IsKept(3));
  for (const int kept : {2, 4, 6, 7, 8, 9, 10}) EXPECT_TRUE(IsKept(kept)) << kept;
  EXPECT_FALSE(IsKept(5)) << "which went instead";
}

TEST_F(VersionCachesTest, VersionsWithAWatch_AreKept) {
  const auto watch = server_.Open(PathOf(2) + "?watch=1");
  EXPECT_THAT(Seen(*watch), ElementsAre("ADDED a=1"));
  TakeAsked();
  for (int i = 3; i <= 10; ++i) EXPECT_FALSE(IsKept(i)) << i;
  EXPECT_TRUE(IsKept(2));
  EXPECT_FALSE(IsKept(3));
  EXPECT_FALSE(watch->ended());
  Resize("a", 2);
  EXPECT_THAT(Seen(*watch), ElementsAre("MODIFIED a=2"));
}

TEST_F(VersionCachesTest, NinthVersionWithAWatch_EndsTheFirstWatch) {
  std::vector<std::unique_ptr<OpenReply>> watches;
  for (int i = 2; i <= 10; ++i) {
    watches.push_back(server_.Open(PathOf(i) + "?watch=1"));
    EXPECT_THAT(Seen(*watches.back()), ElementsAre("ADDED a=1")) << i;
  }
  EXPECT_THAT(Seen(*watches[0]), IsEmpty());
  EXPECT_TRUE(watches[0]->ended());
  Resize("a", 2);
  for (std::size_t i = 1; i < watches.size(); ++i) {
    EXPECT_THAT(Seen(*watches[i]), ElementsAre("MODIFIED a=2")) << i;
    EXPECT_FALSE(watches[i]->ended()) << i;
  }
}

TEST_F(VersionCachesTest, NinthRequest_TakesThePlaceOfTheFirstOneThatWaits) {
  hook_.silent = true;
  std::vector<std::unique_ptr<OpenReply>> lists;
  for (int i = 2; i <= 10; ++i) lists.push_back(server_.Open(PathOf(i)));
  server_.sim().RunFor(seconds(1));
  for (const auto& list : lists) list->Pull();
  EXPECT_THAT(Message(lists[0]->reply()), ::testing::HasSubstr("503 ServiceUnavailable "));
  for (std::size_t i = 1; i < lists.size(); ++i) EXPECT_FALSE(lists[i]->ended()) << i;
}

TEST_F(VersionCachesTest, Definitions_AreCountedEachForItself) {
  json::Value other = WithVersions(10);
  other.Ensure("metadata").Set("name", "widgets.example.community");
  other.Ensure("spec").Set("group", "example.community");
  Define(other);
  ReadEight();
  for (int i = 2; i <= 9; ++i) {
    EXPECT_EQ(server_.Get("/apis/example.community/v" + std::to_string(i) + "/widgets").status,
              200);
  }
  for (int i = 2; i <= 9; ++i) EXPECT_TRUE(IsKept(i)) << i;
}

}  // namespace
}  // namespace kinformer::apiserver::testing
