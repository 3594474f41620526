// The garbage collector: which objects go with their owners, which stay, and who waits for whom.

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};
constexpr std::string_view kHeld = R"(["x.io/hold"])";

// Returns references to owners, given by uid; a "!" after a uid makes the reference block.
std::string References(const std::vector<std::string>& owners) {
  std::string out;
  for (std::string uid : owners) {
    const bool blocks = uid.ends_with('!');
    if (blocks) uid.pop_back();
    out += (out.empty() ? "" : ",") +
           (R"({"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":")" + uid + "\"") +
           (blocks ? R"(,"blockOwnerDeletion":true})" : "}");
  }
  return "[" + out + "]";
}

std::string MapPath(std::string_view name, std::string_view ns = "default") {
  return "/api/v1/namespaces/" + std::string(ns) + "/configmaps/" + std::string(name);
}

class GarbageCollection : public ::testing::Test {
 protected:
  GarbageCollection() {
    EXPECT_TRUE(
        server_.server().Load("apiVersion: v1\nkind: Namespace\nmetadata: {name: far}").ok());
  }
  // Makes a ConfigMap; returns its uid.
  std::string Make(std::string_view name, const std::vector<std::string>& owners = {},
                   std::string_view finalizers = "[]", std::string_view ns = "default") {
    json::Value metadata = json::Value::MakeObject({{"name", name},
                                                    {"namespace", ns},
                                                    {"ownerReferences", Json(References(owners))},
                                                    {"finalizers", Json(finalizers)}});
    const auto made = server_.server().Create(
        kConfigMaps, json::Value::MakeObject({{"metadata", std::move(metadata)}}));
    EXPECT_TRUE(made.ok()) << name;
    return made.OrExit().At("/metadata/uid").StringOrEmpty();
  }
  void Delete(const std::string& path, std::string_view policy) {
    const Reply reply = server_.Do("DELETE", path + "?propagationPolicy=" + std::string(policy));
    EXPECT_EQ(reply.status, 200) << reply.body;
    server_.sim().RunReady();
  }
  void Patch(std::string_view name, const std::string& metadata) {
    const Reply reply =
        server_.Do("PATCH", MapPath(name), R"({"metadata":)" + metadata + "}", kMerge);
    EXPECT_EQ(reply.status, 200) << reply.body;
    server_.sim().RunReady();
  }
  std::vector<std::string> Names() {
    server_.sim().RunReady();
    std::vector<std::string> names;
    for (const auto& [key, version] : server_.server().DumpState(kConfigMaps)) {
      names.push_back(key.starts_with("default/") ? key.substr(8) : key);
    }
    return names;
  }
  json::Value Metadata(std::string_view name) {
    return server_.Get(MapPath(name)).Json()["metadata"];
  }
  std::int64_t Version() { return server_.server().current_resource_version(); }
  std::unique_ptr<OpenReply> Watch() {
    return server_.Open("/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=" +
                        std::to_string(Version()));
  }
  void DeleteAtOnce(const std::string& name) {
    server_.server().Delete(kConfigMaps, {"default", name}).OrExit();
  }

  TestServer server_;
};

TEST_F(GarbageCollection, MoreDependentsThanOneTurnTakes_AreAllHandled) {
  constexpr int kMany = 1100;
  for (const std::string policy : {"Background", "Foreground", "Orphan"}) {
    const std::string owner = Make("owner");
    for (int i = 0; i < kMany; ++i) Make("d" + std::to_string(i), {owner + "!"});
    Delete(MapPath("owner"), policy);
    if (policy == "Orphan") break;
    EXPECT_THAT(Names(), IsEmpty()) << policy;
  }
  EXPECT_EQ(Names().size(), std::size_t{kMany}) << "the owner alone has gone";
  for (const char* name : {"d0", "d512", "d999", "d1099"}) {
    EXPECT_EQ(Metadata(name)["ownerReferences"].size(), 0U) << name;
  }
}

TEST_F(GarbageCollection, RepeatedReference_BlocksIfOneOfThemDoes) {
  for (const bool first : {true, false}) {
    const std::string owner = Make("owner");
    Make("child", first ? std::vector{owner + "!", owner} : std::vector{owner, owner + "!"}, kHeld);
    Delete(MapPath("owner"), "Foreground");
    EXPECT_THAT(Names(), ElementsAre("child", "owner")) << first;
    Patch("child", R"({"finalizers":null})");
    EXPECT_THAT(Names(), IsEmpty()) << first;
  }
}

TEST_F(GarbageCollection, OwnerThatWaits_GoesOnceNoReferenceBlocksIt) {
  for (const char* change :
       {"blockOwnerDeletion", "no references", "another owner", "no finalizers"}) {
    const std::string owner = Make("owner");
    const std::string other = Make("other");
    Make("child", {owner + "!"}, kHeld);
    Delete(MapPath("owner"), "Foreground");
    EXPECT_THAT(Names(), ElementsAre("child", "other", "owner")) << change;
    const std::string_view what = change;
    if (what == "no finalizers") {
      Patch("child", R"({"finalizers":null})");
      EXPECT_THAT(Names(), ElementsAre("other"));
    } else {
      Patch("child", R"({"ownerReferences":)" +
                         (what == "no references"   ? "null"
                          : what == "another owner" ? References({other})
                                                    : References({owner})) +
                         "}");
      EXPECT_THAT(Names(), ElementsAre("child", "other")) << change;
      Patch("child", R"({"finalizers":null})");
    }
    Delete(MapPath("other"), "Background");
    EXPECT_THAT(Names(), IsEmpty()) << change;
  }
}

TEST_F(GarbageCollection, DependentMadeWhileItsOwnerWaits_IsDeletedToo) {
  const std::string owner = Make("owner");
  Make("child", {owner + "!"}, kHeld);
  Delete(MapPath("owner"), "Foreground");
  Make("plain", {owner});
  Make("second", {owner + "!"}, kHeld);
  EXPECT_THAT(Names(), ElementsAre("child", "owner", "second"));
  EXPECT_FALSE(Metadata("second")["deletionTimestamp"].is_null());
  Patch("child", R"({"finalizers":null})");
  EXPECT_THAT(Names(), ElementsAre("owner", "second")) << "the second blocks it now";
  Patch("second", R"({"finalizers":null})");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollection, LaterOrphanPolicy_FreesTheDependents) {
  const std::string owner = Make("owner");
  Make("held", {owner + "!"}, kHeld);
  Delete(MapPath("owner"), "Foreground");
  EXPECT_THAT(Metadata("owner")["finalizers"].Dump(), R"(["foregroundDeletion"])");
  Delete(MapPath("owner"), "Orphan");
  EXPECT_THAT(Names(), ElementsAre("held"));
  EXPECT_EQ(Metadata("held")["ownerReferences"].size(), 0U);
}

// A client that takes the finalizer away ends the wait, though the owner stays for another one.
TEST_F(GarbageCollection, FinalizerTakenAway_OwnerNoLongerDeletesDependents) {
  const std::string owner = Make("owner", {}, kHeld);
  Make("child", {owner + "!"}, kHeld);
  Delete(MapPath("owner"), "Foreground");
  Patch("owner", R"({"finalizers":["x.io/hold"]})");
  Make("late", {owner});
  EXPECT_THAT(Names(), ElementsAre("child", "late", "owner"));
  EXPECT_TRUE(Metadata("late")["deletionTimestamp"].is_null());
  Patch("owner", R"({"finalizers":null})");
  EXPECT_THAT(Names(), ElementsAre("child"));
}

TEST_F(GarbageCollection, Scope_OwnersOfTheSameNamespaceOrOfNone) {
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  for (const std::string policy : {"Background", "Foreground", "Orphan"}) {
    const std::string owner = Make("owner");
    const std::string role = server_.Do("POST", roles, R"({"metadata":{"name":"r"},"rules":[]})")
                                 .Json()
                                 .At("/metadata/uid")
                                 .StringOrEmpty();
    Make("of-map", {owner + "!"}, "[]", "far");
    Make("of-both", {owner + "!", role + "!"}, "[]", "far");
    Make("of-role", {role + "!"}, "[]", "far");
    Delete(MapPath("owner"), policy);
    EXPECT_THAT(Names(), ElementsAre("far/of-both", "far/of-map", "far/of-role")) << policy;
    Delete(roles + "/r", policy);
    EXPECT_EQ(server_.Get(roles + "/r").status, 404) << policy;
    if (policy == "Orphan") {
      EXPECT_THAT(Names(), ElementsAre("far/of-both", "far/of-map", "far/of-role"));
    } else {
      EXPECT_THAT(Names(), ElementsAre("far/of-both", "far/of-map")) << policy;
    }
    const json::Value left = server_.Get(MapPath("of-both", "far")).Json();
    EXPECT_EQ(left.At("/metadata/ownerReferences").size(), 1U) << policy;
    EXPECT_EQ(left.At("/metadata/ownerReferences/0/uid").StringOrEmpty(), owner) << policy;
    EXPECT_EQ(server_.Get(MapPath("of-map", "far")).Json().At("/metadata/ownerReferences").size(),
              1U);
    for (const char* name : {"of-both", "of-map", "of-role"}) {
      server_.Do("DELETE", MapPath(name, "far"));
    }
  }
}

TEST_F(GarbageCollection, LateDependentOfAnotherNamespace_Stays) {
  const std::string owner = Make("owner");
  Delete(MapPath("owner"), "Background");
  Make("late", {owner}, "[]", "far");
  Make("late", {owner});
  EXPECT_THAT(Names(), ElementsAre("far/late"));
}

TEST_F(GarbageCollection, DeletedOwners_AreRememberedUpToALimit) {
  constexpr int kRemembered = 4096;
  std::vector<std::string> uids;
  for (int i = 0; i < kRemembered + 2; ++i) {
    uids.push_back(Make("owner"));
    if (i == 0) Make("collected", {uids[0]});
    DeleteAtOnce("owner");
    if (i == 0) {
      EXPECT_THAT(Names(), IsEmpty());
    }
  }
  Make("of-first", {uids[0]});
  Make("of-second", {uids[1]});
  Make("of-third", {uids[2]});
  Make("of-last", {uids.back()});
  EXPECT_THAT(Names(), ElementsAre("of-first", "of-second"));
}

TEST_F(GarbageCollection, OwnersThatGoAndWait_BothCount) {
  const std::string gone = Make("gone");
  const std::string waits = Make("waits");
  Make("holds", {waits + "!"}, kHeld);
  const std::string child = Make("child", {gone, waits + "!"});
  Make("grandchild", {child + "!"}, kHeld);
  Delete(MapPath("waits"), "Foreground");
  EXPECT_THAT(Names(), ElementsAre("child", "gone", "grandchild", "holds", "waits"));
  EXPECT_EQ(Metadata("child")["ownerReferences"].size(), 1U) << "the other owner keeps it";
  Delete(MapPath("gone"), "Background");
  EXPECT_THAT(Names(), ElementsAre("grandchild", "holds", "waits"));
}

// Jobs orphan their dependents by default, but not if they go with their own owner.
TEST_F(GarbageCollection, KindThatOrphansByDefault_DoesNotWhenCollected) {
  const std::string jobs = "/apis/batch/v1/namespaces/default/jobs";
  const auto job = [&](const std::string& owners, const std::string& finalizers) {
    const Reply made = server_.Do(
        "POST", jobs,
        R"({"metadata":{"name":"j","ownerReferences":)" + owners + R"(,"finalizers":)" +
            finalizers + R"(},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":
              [{"name":"c","image":"i"}]}}}})");
    EXPECT_EQ(made.status, 201) << made.body;
    return made.Json().At("/metadata/uid").StringOrEmpty();
  };
  Make("alone", {job("[]", "[]")});
  server_.Do("DELETE", jobs + "/j");
  EXPECT_THAT(Names(), ElementsAre("alone"));
  EXPECT_EQ(Metadata("alone")["ownerReferences"].size(), 0U);

  const std::string owner = Make("owner");
  Make("child", {job(References({owner}), "[]")});
  Delete(MapPath("owner"), "Background");
  EXPECT_THAT(Names(), ElementsAre("alone"));
  EXPECT_EQ(server_.Get(jobs + "/j").status, 404);

  const std::string second = Make("second");
  Make("kept", {job(References({second}), R"(["orphan"])")});
  Delete(MapPath("second"), "Background");
  EXPECT_THAT(Names(), ElementsAre("alone", "kept")) << "its finalizer asks for that";
  EXPECT_EQ(Metadata("kept")["ownerReferences"].size(), 0U);
}

TEST_F(GarbageCollection, ReferencesStopBlocking_OnlyInACircle) {
  const std::string owner = Make("owner");
  const std::string left = Make("left", {owner + "!"});
  const std::string right = Make("right", {owner + "!"});
  Make("last", {left + "!", right + "!"}, kHeld);
  Delete(MapPath("owner"), "Foreground");
  EXPECT_THAT(Names(), ElementsAre("last", "left", "owner", "right"));
  for (const char* name : {"left", "right", "last"}) {
    EXPECT_EQ(Metadata(name).At("/ownerReferences/0/blockOwnerDeletion").AsBool(), true) << name;
  }
  Patch("last", R"({"finalizers":null})");
  EXPECT_THAT(Names(), IsEmpty());
  // An object that owns itself.
  const std::string self = Make("self");
  Patch("self", R"({"ownerReferences":)" + References({self + "!"}) + "}");
  Delete(MapPath("self"), "Foreground");
  EXPECT_THAT(Names(), IsEmpty());
}

// Two objects own each other and wait for others, and one of them has an owner elsewhere.
TEST_F(GarbageCollection, CircleBehindAChain_DelaysNothing) {
  const std::string owner = Make("owner");
  const std::string chain = Make("chain", {owner + "!"});
  Make("end", {chain + "!"}, kHeld);
  Delete(MapPath("owner"), "Foreground");
  const std::string left = Make("left");
  const std::string right = Make("right", {left + "!"});
  Patch("left", R"({"ownerReferences":)" + References({right + "!"}) + "}");
  Make("of-left", {left + "!"}, kHeld);
  Make("of-right", {right + "!"}, kHeld);
  Delete(MapPath("left"), "Foreground");
  Patch("left", R"({"ownerReferences":)" + References({right + "!", chain + "!"}) + "}");
  Make("late", {owner});
  EXPECT_THAT(Names(),
              ElementsAre("chain", "end", "left", "of-left", "of-right", "owner", "right"));
  for (const char* name : {"end", "of-left", "of-right"}) Patch(name, R"({"finalizers":null})");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollection, FinalizerOfALiveObject_ConcernsNoDependents) {
  for (const char* finalizers : {R"(["orphan"])", R"(["foregroundDeletion"])"}) {
    const std::string owner = Make("owner", {}, finalizers);
    Make("child", {owner + "!"});
    Patch("owner", R"({"labels":{"a":"b"}})");
    EXPECT_THAT(Names(), ElementsAre("child", "owner")) << finalizers;
    EXPECT_EQ(Metadata("child")["ownerReferences"].size(), 1U) << finalizers;
    EXPECT_EQ(Metadata("owner")["finalizers"].Dump(), finalizers);
    Delete(MapPath("owner"), "Background");
    EXPECT_THAT(Names(), IsEmpty()) << finalizers;
  }
}

TEST_F(GarbageCollection, ReferenceThatStopsBlocking_StillOwns) {
  const std::string owner = Make("owner");
  Make("child", {owner + "!"});
  Patch("child", R"({"ownerReferences":)" + References({owner}) + "}");
  Delete(MapPath("owner"), "Background");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollection, Events_OwnersGoFirstInTheBackground) {
  const std::string owner = Make("owner");
  const std::string child = Make("child", {owner});
  Make("grandchild", {child});
  const auto watch = Watch();
  Delete(MapPath("owner"), "Background");
  EXPECT_THAT(watch->Events(),
              ElementsAre(StartsWith("DELETED default/owner"), StartsWith("DELETED default/child"),
                          StartsWith("DELETED default/grandchild")));
}

TEST_F(GarbageCollection, Events_DependentsWithoutDependentsGoAtOnceInTheForeground) {
  const std::string owner = Make("owner");
  const std::string child = Make("child", {owner + "!"});
  const std::string former = Make("former", {owner + "!"});
  Make("gone", {former + "!"});
  DeleteAtOnce("gone");
  const auto watch = Watch();
  Delete(MapPath("owner"), "Foreground");
  EXPECT_THAT(
      watch->Events(),
      ElementsAre(StartsWith("MODIFIED default/owner"), StartsWith("DELETED default/child"),
                  StartsWith("DELETED default/former"), StartsWith("DELETED default/owner")));
}

TEST_F(GarbageCollection, DependentThatIsBeingDeleted_KeepsItsOwnPolicy) {
  const std::string owner = Make("owner");
  const std::string child = Make("child", {owner + "!"}, kHeld);
  Make("grandchild", {child + "!"}, kHeld);
  Delete(MapPath("child"), "Background");
  Delete(MapPath("owner"), "Foreground");
  EXPECT_THAT(Names(), ElementsAre("child", "grandchild", "owner"));
  EXPECT_EQ(Metadata("child")["finalizers"].Dump(), kHeld);
}

TEST_F(GarbageCollection, LateDependent_MayGoOrLoseItsOwnerBeforeItIsLookedAt) {
  const std::string owner = Make("owner");
  Delete(MapPath("owner"), "Background");
  Make("gone", {owner});
  DeleteAtOnce("gone");
  Make("freed", {owner});
  server_.server()
      .Patch(kConfigMaps, {"default", "freed"}, Json(R"({"metadata":{"ownerReferences":null}})"))
      .OrExit();
  EXPECT_THAT(Names(), ElementsAre("freed"));
}

TEST_F(GarbageCollection, RestoredDependent_MayLoseItsOwner) {
  const std::string owner = Make("owner");
  Make("child", {owner + "!"});
  const std::int64_t before = Version();
  DeleteAtOnce("child");
  server_.server().Restore(before).OrExit();
  Patch("child", R"({"ownerReferences":null})");
  EXPECT_THAT(Names(), ElementsAre("child", "owner"));
}

TEST_F(GarbageCollection, DependentThatARestoreRemoved_DelaysNothing) {
  const std::string owner = Make("owner");
  const std::string child = Make("child", {owner + "!"});
  const std::int64_t before = Version();
  Make("grandchild", {child + "!"});
  server_.server().Restore(before).OrExit();
  Delete(MapPath("owner"), "Foreground");
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(GarbageCollection, OwnerThatWaitedBeforeARestore_NoLongerCounts) {
  for (const bool another : {false, true}) {
    const std::int64_t before = Version();
    const std::string owner = Make("owner");
    Make("child", {owner + "!"}, kHeld);
    Delete(MapPath("owner"), "Foreground");
    server_.server().Restore(before).OrExit();
    if (another) Make("owner", {}, R"(["foregroundDeletion"])");
    Make("late", {owner});
    const std::vector<std::string> left = Names();
    EXPECT_EQ(left, another ? std::vector<std::string>({"late", "owner"})
                            : std::vector<std::string>({"late"}));
    for (const std::string& name : left) Delete(MapPath(name), "Background");
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
