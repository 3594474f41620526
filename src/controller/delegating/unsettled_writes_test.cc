// Writes whose versions are unknown: which errors pass, and which entries are found and removed.

#include "controller/delegating/unsettled_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "kinformer/internal/kind_info.h"

#include "controller/delegating/joined_stop.h"

namespace kinformer::internal::delegating {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const KindInfo& Things(const std::string& version = "v1") {
  return *DynamicKindInfo("test.example", version, "Thing", "things", true);
}
const KindInfo& Others() { return *DynamicKindInfo("test.example", "v1", "Other", "others", true); }
const KindInfo& Worlds() {
  return *DynamicKindInfo("test.example", "v1", "World", "worlds", false);
}

std::vector<std::string> Found(const UnsettledWrites& writes, const KindInfo& type,
                               const ObjectName& which) {
  std::vector<std::string> found;
  for (const UnsettledWrites::Entry& entry : writes.Find(type, which)) {
    found.push_back(std::string(entry.type->version) + ":" + entry.name.ToString());
  }
  return found;
}

TEST(UnsettledWrites, MayPass_IsTrueOfTransientErrorsOnly) {
  const std::map<Reason, bool> reasons = {
      {Reason::kConnectionRefused, true}, {Reason::kTransport, true},
      {Reason::kUnexpectedEof, true},     {Reason::kCanceled, true},
      {Reason::kDeadlineExceeded, true},  {Reason::kUnauthorized, true},
      {Reason::kTooManyRequests, true},   {Reason::kInternalError, true},
      {Reason::kServerTimeout, true},     {Reason::kServiceUnavailable, true},
      {Reason::kTimeout, true},           {Reason::kWouldDeadlock, true},
      {Reason::kForbidden, false},        {Reason::kNotFound, false},
      {Reason::kDecode, false},           {Reason::kInvalidArgument, false},
      {Reason::kMethodNotAllowed, false}, {Reason::kGone, false},
      {Reason::kBadRequest, false},       {Reason::kConflict, false},
      {Reason::kUnknown, false},          {Reason::kStopped, false},
  };
  for (const auto& [reason, may_pass] : reasons) {
    EXPECT_EQ(MayPass(Error(reason, "no")), may_pass) << ReasonName(reason);
  }
}

TEST(UnsettledWrites, Find_ReturnsTheNameTheNamespaceOrAll) {
  UnsettledWrites writes;
  EXPECT_THAT(Found(writes, Things(), {}), IsEmpty());
  for (const ObjectName& name : std::vector<ObjectName>{
           {"blue", "a"}, {"blue", "b"}, {"green", "a"}, {"green", "c"}, {"red", "a"}}) {
    EXPECT_TRUE(writes.Add(Things(), name));
  }
  EXPECT_TRUE(writes.Add(Others(), {"green", "z"}));
  EXPECT_TRUE(writes.Add(Worlds(), {"", "w"}));
  EXPECT_EQ(writes.size(), 7U);
  struct {
    const KindInfo& type;
    ObjectName which;
    std::vector<std::string> found;
  } const rows[] = {
      {Things(), {}, {"v1:blue/a", "v1:blue/b", "v1:green/a", "v1:green/c", "v1:red/a"}},
      {Things(), {"green", ""}, {"v1:green/a", "v1:green/c"}},
      {Things(), {"green", "a"}, {"v1:green/a"}},
      {Things(), {"green", "b"}, {}},
      {Things(), {"gray", ""}, {}},
      {Things(), {"zzz", ""}, {}},
      // Another version of the resource has the same objects.
      {Things("v2"), {"blue", "b"}, {"v1:blue/b"}},
      {Others(), {}, {"v1:green/z"}},
      {Others(), {"blue", "a"}, {}},
      {Worlds(), {}, {"v1:w"}},
      {Worlds(), {"", "w"}, {"v1:w"}},
      {Worlds(), {"", "v"}, {}},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Found(writes, row.type, row.which), row.found)
        << row.type.resource << " " << row.which.ToString();
  }
}

TEST(UnsettledWrites, SingleEntry_IsFound) {
  UnsettledWrites writes;
  ASSERT_TRUE(writes.Add(Things(), {"blue", "a"}));
  EXPECT_EQ(writes.size(), 1U);
  EXPECT_THAT(Found(writes, Things(), {"blue", "a"}), ElementsAre("v1:blue/a"));
}

TEST(UnsettledWrites, EntryAddedAgain_RemainsUntilItIsSettledItself) {
  UnsettledWrites writes;
  ASSERT_TRUE(writes.Add(Things(), {"blue", "a"}));
  ASSERT_TRUE(writes.Add(Things(), {"blue", "b"}));
  const UnsettledWrites::Entry before = writes.Find(Things(), {"blue", "a"}).at(0);
  ASSERT_TRUE(writes.Add(Things("v2"), {"blue", "a"}));
  const UnsettledWrites::Entry after = writes.Find(Things(), {"blue", "a"}).at(0);
  EXPECT_GT(after.sequence, before.sequence);
  writes.Settled(before);
  EXPECT_THAT(Found(writes, Things(), {}), ElementsAre("v2:blue/a", "v1:blue/b"));
  EXPECT_EQ(writes.size(), 2U);
  writes.Settled(after);
  EXPECT_THAT(Found(writes, Things(), {}), ElementsAre("v1:blue/b"));
  EXPECT_EQ(writes.size(), 1U);
  writes.Settled(after);
  EXPECT_EQ(writes.size(), 1U);
  writes.Settled(writes.Find(Things(), {"blue", "b"}).at(0));
  writes.Settled(after);
  EXPECT_EQ(writes.size(), 0U);
}

TEST(UnsettledWrites, TenThousandEntries_TakeNoOther) {
  UnsettledWrites writes;
  for (std::size_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(writes.Add(Things(), {"blue", std::to_string(i)})) << i;
  }
  EXPECT_FALSE(writes.Add(Things(), {"blue", "more"}));
  EXPECT_FALSE(writes.Add(Others(), {"blue", "0"}));
  EXPECT_EQ(writes.size(), 10'000U);
  EXPECT_TRUE(writes.Add(Things(), {"blue", "17"})) << "there is an entry for it";
  writes.Settled(writes.Find(Things(), {"blue", "17"}).at(0));
  EXPECT_TRUE(writes.Add(Things(), {"blue", "more"}));
  EXPECT_FALSE(writes.Add(Things(), {"blue", "17"}));
}

TEST(JoinedStop, TokenStops_WhenEitherSourceStops) {
  for (const bool first : {false, true}) {
    std::stop_source a;
    std::stop_source b;
    const JoinedStop both(a.get_token(), b.get_token());
    EXPECT_FALSE(both.token().stop_requested());
    (first ? a : b).request_stop();
    EXPECT_TRUE(both.token().stop_requested());
    EXPECT_FALSE((first ? b : a).stop_requested());
  }
  std::stop_source stopped;
  stopped.request_stop();
  const std::stop_source runs;
  EXPECT_TRUE(JoinedStop(stopped.get_token(), runs.get_token()).token().stop_requested());
  EXPECT_TRUE(JoinedStop(runs.get_token(), stopped.get_token()).token().stop_requested());
}

TEST(JoinedStop, TokenThatCannotStop_LeavesTheOther) {
  const std::stop_source source;
  EXPECT_EQ(JoinedStop(source.get_token(), {}).token(), source.get_token());
  EXPECT_EQ(JoinedStop({}, source.get_token()).token(), source.get_token());
  EXPECT_FALSE(JoinedStop({}, {}).token().stop_possible());
}

}  // namespace
}  // namespace kinformer::internal::delegating
