// Apply, prune, diff and delete of manifests, against the embedded API server in simulated time.

#include "kinformer/client/manifests.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/delete_manifests.h"
#include "kinformer/client/diff_manifests.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/transport.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kMaps[] =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: x}}, data: {k: v}}\n"
    "---\n"
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: b, labels: {app: x}}, data: {k: v}}\n";
constexpr char kMapA[] =
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {app: x}}, data: {k: v}}\n";
constexpr char kLamps[] =
    "apiVersion: apiextensions.k8s.io/v1\n"
    "kind: CustomResourceDefinition\n"
    "metadata: {name: lamps.example.com}\n"
    "spec:\n"
    "  group: example.com\n"
    "  scope: Namespaced\n"
    "  names: {plural: lamps, singular: lamp, kind: Lamp, listKind: LampList}\n"
    "  versions:\n"
    "  - name: v1\n"
    "    served: true\n"
    "    storage: true\n"
    "    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n";
constexpr char kLamp[] = "{apiVersion: example.com/v1, kind: Lamp, metadata: {name: red}}\n";

std::string Word(ApplyOutcome outcome) {
  switch (outcome) {
    case ApplyOutcome::kCreated:
      return "created";
    case ApplyOutcome::kConfigured:
      return "configured";
    case ApplyOutcome::kUnchanged:
      return "unchanged";
    case ApplyOutcome::kApplied:
      return "applied";
    case ApplyOutcome::kPruned:
      return "pruned";
    case ApplyOutcome::kFailed:
      break;
  }
  return "failed";
}

// Notes the targets of patches.
struct Seen : Handler {
  explicit Seen(Handler* behind) : server(behind) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (request.method == "PATCH") patches.push_back(request.target);
    return server->Handle(std::move(request));
  }
  Handler* const server;
  std::vector<std::string> patches;
};

class ManifestsOnServer : public ::testing::Test {
 protected:
  void Run(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(30)));
  }

  // Applies the text. Returns "name outcome" of each result, then the errors.
  std::vector<std::string> Apply(const std::string& text,
                                 const ApplyManifestsOptions& options = {}) {
    report_ = ApplyManifests(client_, ParseManifests(text, "x.yaml").manifests, options);
    std::vector<std::string> out;
    for (const ApplyResult& result : report_.results) {
      out.push_back(result.name + " " + Word(result.outcome));
    }
    for (const Error& error : report_.errors) out.push_back(error.message());
    return out;
  }
  // Returns the message of the only failure.
  std::string Failure() {
    std::string out = "none";
    for (const ApplyResult& result : report_.results) {
      if (result.error) out = result.error->message();
    }
    return out;
  }
  std::vector<ManifestDiff> Diff(const std::string& text,
                                 const DiffManifestsOptions& options = {}) {
    return DiffManifests(client_, ParseManifests(text, "x.yaml").manifests, options);
  }
  // Returns "name fate" of each object.
  std::vector<std::string> Delete(const std::string& text,
                                  const DeleteManifestsOptions& options = {}) {
    std::vector<std::string> out;
    for (const DeleteResult& result :
         DeleteManifests(client_, ParseManifests(text, "x.yaml").manifests, options)) {
      out.push_back(result.target.name + (result.error    ? " " + result.error->message()
                                          : result.absent ? " absent"
                                                          : " deleted"));
    }
    return out;
  }
  DynamicResourceClient Maps(const std::string& namespace_ = "default") {
    return client_.Dynamic(client_.Discovery().MappingFor("configmaps").OrExit(), namespace_);
  }
  std::vector<std::string> MapNames() {
    std::vector<std::string> names;
    const auto maps = Maps("").List().OrExit();
    for (const Unstructured map : maps) {
      names.push_back(std::string(map.metadata().namespace_()) + "/" +
                      std::string(map.metadata().name()));
    }
    return names;
  }
  // Writes what a server that tracks fields writes at an apply by this manager.
  void Track(const std::string& name, const std::string& manager,
             const std::string& namespace_ = "default") {
    json::Value patch;
    patch.Ensure("metadata", "managedFields")
        .Append(json::Value::MakeObject({{"manager", manager}, {"operation", "Apply"}}));
    server_.Patch({"", "v1", "configmaps"}, {namespace_, name}, patch).OrExit();
  }
  json::Value Map(const std::string& name) {
    const auto map = Maps().Get(name).OrExit();
    return map->DeepCopy();
  }

  Simulation sim_{{.seed = 11}};
  ApiServer server_{sim_};
  Seen seen_{server_.With([](auto& server) -> Handler* { return &server; })};
  Client client_ =
      Client::ForTransport(server_.env(), NewInMemoryTransport(sim_.env(), seen_), {.qps = -1});
  ApplyReport report_;
};

TEST_F(ManifestsOnServer, AnApplyTellsCreatedConfiguredAndUnchanged) {
  Run([&] {
    EXPECT_THAT(Apply(kMaps), ElementsAre("a created", "b created"));
    EXPECT_THAT(Apply(kMaps), ElementsAre("a unchanged", "b unchanged"));
    std::string changed = kMaps;
    changed.replace(changed.rfind("k: v"), 4, "k: w");
    EXPECT_THAT(Apply(changed), ElementsAre("a unchanged", "b configured"));
    EXPECT_EQ(report_.results[1].object["data"]["k"].StringOrEmpty(), "w");
    EXPECT_THAT(Apply(changed, {.compare = false}), ElementsAre("a applied", "b applied"));
    EXPECT_TRUE(report_.ok());
  });
}

TEST_F(ManifestsOnServer, ADryRunTellsTheSameAndChangesNothing) {
  Run([&] {
    EXPECT_THAT(Apply(kMapA), ElementsAre("a created"));
    std::string changed = kMaps;
    changed.replace(changed.find("k: v"), 4, "k: w");
    EXPECT_THAT(Apply(changed, {.dry_run = true}), ElementsAre("a configured", "b created"));
    EXPECT_THAT(Apply(kMapA, {.dry_run = true}), ElementsAre("a unchanged"));
    EXPECT_EQ(Map("a")["data"]["k"].StringOrEmpty(), "v");
    EXPECT_THAT(MapNames(), Not(::testing::Contains("default/b")));
  });
}

TEST_F(ManifestsOnServer, AFailureNamesItsPlaceAndDoesNotHideTheOthers) {
  Run([&] {
    EXPECT_THAT(Apply("{apiVersion: v1, kind: ConfigMap, metadata: {generateName: g}}\n"
                      "---\n{apiVersion: nope.io/v1, kind: Nope, metadata: {name: nope}}\n"
                      "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, dta: {}}\n"
                      "---\njust text\n---\n" +
                      std::string(kMapA)),
                ElementsAre(" failed", "nope failed", "c failed", " failed", "a created"));
    EXPECT_FALSE(report_.ok());
    const auto message = [&](std::size_t i) { return report_.results[i].error->message(); };
    EXPECT_THAT(message(0), AllOf(HasSubstr("x.yaml:1: "), HasSubstr("generateName")));
    EXPECT_THAT(message(1), AllOf(HasSubstr("x.yaml:3: "), HasSubstr("Nope")));
    EXPECT_THAT(message(2), AllOf(HasSubstr("x.yaml:5: configmap/c: "), HasSubstr("dta")));
    EXPECT_THAT(message(3), HasSubstr("x.yaml:7: the document is no object"));
  });
}

TEST_F(ManifestsOnServer, AConflictNamesManagersAndFields) {
  // The embedded server does not track fields. This is the answer of one that does.
  server_.faults().Add(
      {.verb = "patch",
       .resource = "configmaps",
       .count = 1,
       .status = 409,
       .text = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
               R"("Apply failed with 1 conflict: conflict with \"first\" using v1: .data.k",)"
               R"("reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict",)"
               R"("message":"conflict with \"first\" using v1","field":".data.k"}]},"code":409})",
       .content_type = "application/json"});
  Run([&] {
    EXPECT_THAT(Apply(kMaps), ElementsAre("a failed", "b created"));
    ASSERT_THAT(report_.results[0].conflicts, SizeIs(1));
    EXPECT_EQ(report_.results[0].conflicts[0].manager, "first");
    EXPECT_THAT(report_.results[0].conflicts[0].fields, ElementsAre(".data.k"));
    EXPECT_EQ(report_.results[0].error->reason(), Reason::kConflict);
    EXPECT_THAT(report_.results[0].error->message(),
                HasSubstr("x.yaml:1: configmap/a: Apply failed with 1 conflict"));
  });
}

TEST_F(ManifestsOnServer, AnApplySendsItsManagerAndWhatItAsksFor) {
  Run([&] {
    Apply(kMapA, {.fieldManager = "me", .force_conflicts = true, .dry_run = true});
    EXPECT_THAT(seen_.patches,
                ElementsAre(AllOf(HasSubstr("/namespaces/default/configmaps/a?"),
                                  HasSubstr("fieldManager=me"), HasSubstr("force=true"),
                                  HasSubstr("dryRun=All"), HasSubstr("fieldValidation=Strict"))));
    seen_.patches.clear();
    Apply(kMapA, {.fieldValidation = "Warn"});
    EXPECT_THAT(seen_.patches,
                ElementsAre(AllOf(HasSubstr("fieldManager=kinformer"), HasSubstr("force=false"),
                                  Not(HasSubstr("dryRun")), HasSubstr("fieldValidation=Warn"))));
  });
}

TEST_F(ManifestsOnServer, ADefinitionOfTheSameRunIsWaitedFor) {
  Run([&] {
    EXPECT_THAT(Apply(std::string(kLamps) + "---\n" + kLamp),
                ElementsAre("lamps.example.com created", "red created"));
    EXPECT_THAT(Apply(std::string(kLamp) + "---\n" + kLamps, {.order = ManifestOrder::kInstall}),
                ElementsAre("lamps.example.com unchanged", "red unchanged"));
  });
}

TEST_F(ManifestsOnServer, TheOrderOfInstallationPutsDefinitionsBeforeTheirObjects) {
  Run([&] {
    const std::string lamp_first = std::string(kLamp) + "---\n" + kLamps;
    EXPECT_THAT(Apply(kLamp), ElementsAre("red failed"));
    EXPECT_THAT(Apply(lamp_first, {.dry_run = true}),
                ElementsAre("red failed", "lamps.example.com created"));
    EXPECT_THAT(Failure(), HasSubstr("a dry run does not create it"));
    EXPECT_THAT(Apply(lamp_first), ElementsAre("red failed", "lamps.example.com created"));
    EXPECT_THAT(Failure(), HasSubstr("choose the order of installation"));
    Delete(kLamps);
    EXPECT_THAT(Apply(lamp_first, {.order = ManifestOrder::kInstall}),
                ElementsAre("lamps.example.com created", "red created"));
    EXPECT_EQ(report_.results[0].manifest, 1U);
  });
}

TEST_F(ManifestsOnServer, ADefinitionThatIsNeverEstablishedIsNamed) {
  Run([&] {
    ASSERT_THAT(Apply(kLamps), SizeIs(1));
    std::string clash = kLamps;  // the same kind under another plural
    for (const char* word : {"lamps.example", "plural: lamps"}) {
      clash.replace(clash.find(word) + std::string(word).find("lamps"), 5, "bulbs");
    }
    clash.replace(clash.find("singular: lamp"), 14, "singular: bulb");
    Apply(clash + "---\n{apiVersion: example.com/v1, kind: Lamp, metadata: {name: red}}\n");
    EXPECT_THAT(Failure(), AllOf(HasSubstr("x.yaml:14: definition bulbs.example.com: "),
                                 HasSubstr("it is not established")));
  });
}

TEST_F(ManifestsOnServer, AnotherNamespaceThanTheEnforcedOneIsRefused) {
  Run([&] {
    const std::string elsewhere =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: kube-system}}\n";
    EXPECT_THAT(Apply(elsewhere, {.enforce_namespace = true}), ElementsAre("a failed"));
    EXPECT_THAT(Failure(), HasSubstr("in namespace kube-system"));
    EXPECT_THAT(Apply(elsewhere), ElementsAre("a created"));
    EXPECT_EQ(report_.results[0].namespace_, "kube-system");
    EXPECT_THAT(Apply(kMapA, {.namespace_ = "kube-public", .enforce_namespace = true}),
                ElementsAre("a created"));
    EXPECT_THAT(MapNames(), ::testing::Contains("kube-public/a"));
  });
}

TEST_F(ManifestsOnServer, APruneByLabelDeletesOnlyWhatWasAppliedBefore) {
  Run([&] {
    Apply(kMaps);
    for (const char* name : {"a", "b"}) Track(name, "kinformer");
    server_
        .Load(
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: by-hand, namespace: default, "
            "labels: {app: x}}}\n---\n"
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: by-other, namespace: default, "
            "labels: {app: x}}}\n---\n"
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: by-kubectl, namespace: default, "
            "labels: {app: x}, annotations: {kubectl.kubernetes.io/last-applied-configuration: "
            "'{}'}}}\n")
        .OrExit();
    Track("by-other", "another");
    Apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: other, labels: {app: z}}}\n");
    Track("other", "kinformer");
    ApplyManifestsOptions options{.dry_run = true, .prune = PruneByLabel{"app=x", {}}};
    EXPECT_THAT(Apply(kMapA, options), ElementsAre("a unchanged", "b pruned", "by-kubectl pruned"));
    EXPECT_THAT(MapNames(), ::testing::Contains("default/b"));
    options.dry_run = false;
    EXPECT_THAT(Apply(kMapA, options), ElementsAre("a unchanged", "b pruned", "by-kubectl pruned"));
    EXPECT_FALSE(report_.results[1].manifest);
    EXPECT_EQ(report_.results[1].object["kind"].StringOrEmpty(), "ConfigMap");
    EXPECT_THAT(
        MapNames(),
        AllOf(::testing::Contains("default/by-hand"), ::testing::Contains("default/by-other"),
              ::testing::Contains("default/other"), Not(::testing::Contains("default/b"))));
  });
}

TEST_F(ManifestsOnServer, APruneKeepsToItsKindsAndNamespacesAndWaitsForSuccess) {
  Run([&] {
    Apply(kMaps);
    Apply(kMaps, {.namespace_ = "kube-public"});
    Track("b", "kinformer");
    Track("b", "kinformer", "kube-public");
    PruneByLabel only_secrets{"app=x", {{"", "v1", "Secret"}}};
    EXPECT_THAT(Apply(kMapA, {.prune = only_secrets}), ElementsAre("a unchanged"));
    const std::string failing =
        std::string(kMapA) + "---\n{apiVersion: v1, kind: Nope, metadata: {name: nope}}\n";
    const PruneByLabel all{"app=x", {}};
    EXPECT_THAT(Apply(failing, {.prune = all}), ElementsAre("a unchanged", "nope failed"));
    EXPECT_THAT(Apply(kMapA, {.prune = all}), ElementsAre("a unchanged", "b pruned"));
    EXPECT_THAT(MapNames(), ::testing::Contains("kube-public/b"));
    EXPECT_THAT(Apply(kMapA, {.prune = PruneByLabel{"app in (", {}}}),
                ElementsAre(HasSubstr("app in (")));
  });
}

TEST_F(ManifestsOnServer, AnApplySetKnowsItsMembersAndPrunesOnlyThem) {
  Run([&] {
    const ApplySet set{.name = "set1", .namespace_ = "default", .kind = {"", "v1", "ConfigMap"}};
    const std::string secret =
        "---\n{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: kube-public}}\n";
    EXPECT_THAT(Apply(kMaps + secret, {.apply_set = set}),
                ElementsAre("a created", "b created", "s created"));
    json::Value parent = Map("set1");
    const auto annotation = [&](const std::string& name) {
      const json::Value& metadata = std::as_const(parent)["metadata"];
      return metadata["annotations"]["applyset.kubernetes.io/" + name].StringOrEmpty();
    };
    EXPECT_EQ(
        std::as_const(parent)["metadata"]["labels"]["applyset.kubernetes.io/id"].StringOrEmpty(),
        ApplySetId(set));
    EXPECT_EQ(annotation("contains-group-kinds"), "ConfigMap,Secret");
    EXPECT_EQ(annotation("additional-namespaces"), "kube-public");
    EXPECT_THAT(annotation("tooling"), HasSubstr("kinformer/v"));
    const json::Value a = Map("a");
    EXPECT_EQ(a["metadata"]["labels"]["applyset.kubernetes.io/part-of"].StringOrEmpty(),
              ApplySetId(set));

    Apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: other, labels: {app: x}}}\n");
    EXPECT_THAT(Apply(kMapA, {.dry_run = true, .apply_set = set}),
                ElementsAre("a unchanged", "b pruned", "s pruned"));
    EXPECT_THAT(Apply(kMapA, {.apply_set = set}),
                ElementsAre("a unchanged", "b pruned", "s pruned"));
    parent = Map("set1");
    EXPECT_EQ(annotation("contains-group-kinds"), "ConfigMap");
    EXPECT_EQ(annotation("additional-namespaces"), "");
    EXPECT_THAT(MapNames(), ::testing::Contains("default/other"));
  });
}

TEST_F(ManifestsOnServer, AnApplySetOfOthersIsRefused) {
  Run([&] {
    ApplySet set{.name = "set1", .namespace_ = "default", .kind = {"", "v1", "ConfigMap"}};
    Apply(kMapA, {.apply_set = set});
    const auto refused = [&](const ApplySet& by) { return Apply(kMapA, {.apply_set = by}); };
    ApplySet other_tool = set;
    other_tool.tooling = "kubectl/v1.32";
    EXPECT_THAT(refused(other_tool), ElementsAre(HasSubstr("belongs to kinformer/v")));
    ApplySet no_parent = set;
    no_parent.name = "a";
    EXPECT_THAT(refused(no_parent), ElementsAre(HasSubstr("is no parent of an apply set")));
    ApplySet pod = set;
    pod.kind.kind = "Pod";
    EXPECT_THAT(refused(pod), ElementsAre(HasSubstr("a Pod cannot be the parent")));
    ApplySet nowhere = set;
    nowhere.namespace_ = "";
    EXPECT_THAT(refused(nowhere), ElementsAre(HasSubstr("needs a namespace")));
    // The members of one set are not taken by another one.
    ApplySet second = set;
    second.name = "set2";
    EXPECT_THAT(refused(second), ElementsAre("a failed"));
    EXPECT_THAT(Failure(), HasSubstr("belongs to another apply set, " + ApplySetId(set)));
    // A parent whose label was changed.
    Maps()
        .Patch("set1", {PatchType::kMergePatch,
                        R"({"metadata":{"labels":{"applyset.kubernetes.io/id":"wrong"}}})"})
        .OrExit();
    EXPECT_THAT(refused(set), ElementsAre(HasSubstr("has the wrong label")));
  });
}

TEST_F(ManifestsOnServer, ACustomResourceIsAParentIfItsDefinitionSaysSo) {
  Run([&] {
    Apply(kLamps);
    Apply(kLamp);
    ApplySet set{.name = "blue", .namespace_ = "default", .kind = {"example.com", "v1", "Lamp"}};
    EXPECT_THAT(Apply(kMapA, {.apply_set = set}),
                ElementsAre(HasSubstr("a Lamp cannot be the parent")));
    std::string allowed = kLamps;
    allowed.replace(allowed.find("{name: lamps.example.com}"), 25,
                    "{name: lamps.example.com, labels: {applyset.kubernetes.io/is-parent-type: "
                    "'true'}}");
    Apply(allowed);
    EXPECT_THAT(Apply(kMapA, {.apply_set = set}),
                ElementsAre(HasSubstr("lamp.example.com/blue, the parent of the apply set, does "
                                      "not exist")));
  });
}

TEST_F(ManifestsOnServer, ADiffShowsWhatAnApplyWouldChange) {
  Run([&] {
    Apply(kMapA);
    Track("a", "kinformer");
    EXPECT_EQ(Diff(kMapA)[0].text, "");
    std::string changed = kMaps;
    changed.replace(changed.find("k: v"), 4, "k: w");
    const std::vector<ManifestDiff> diffs = Diff(changed);
    ASSERT_THAT(diffs, SizeIs(2));
    EXPECT_THAT(diffs[0].text,
                AllOf(HasSubstr("--- LIVE/v1.ConfigMap.default.a\n"
                                "+++ MERGED/v1.ConfigMap.default.a\n"),
                      HasSubstr("-  k: v\n+  k: w\n"), Not(HasSubstr("managedFields"))));
    EXPECT_TRUE(diffs[1].live.is_null());
    EXPECT_THAT(diffs[1].text,
                AllOf(HasSubstr("+  name: b\n"), Not(HasSubstr("uid")), HasSubstr("@@ -0,0 ")));
    EXPECT_EQ(Map("a")["data"]["k"].StringOrEmpty(), "v");
    const std::vector<ManifestDiff> whole = Diff(changed, {.show_managed_fields = true});
    EXPECT_TRUE(whole[0].live["metadata"].contains("managedFields"));
    EXPECT_FALSE(diffs[0].live["metadata"].contains("managedFields"));
  });
}

TEST_F(ManifestsOnServer, ADiffMasksTheDataOfSecrets) {
  Run([&] {
    Apply("{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {p: b25l, q: b25l}}\n");
    const std::vector<ManifestDiff> diffs = Diff(
        "{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {note: new}}, data: {p: "
        "dHdv, q: b25l}}\n");
    EXPECT_THAT(diffs[0].text,
                AllOf(HasSubstr("-  p: '*** (before)'\n+  p: '*** (after)'\n   q: '***'\n"),
                      HasSubstr("note: new"), Not(HasSubstr("b25l")), Not(HasSubstr("dHdv"))));
  });
}

TEST_F(ManifestsOnServer, ADiffShowsObjectsWhoseNamespaceOrKindIsStillToCome) {
  Run([&] {
    const std::string shop = "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}\n";
    const std::string map =
        "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}\n---\n";
    const auto diffs = Diff(shop + map + kLamps + "---\n" + kLamp);
    ASSERT_THAT(diffs, SizeIs(4));
    for (const ManifestDiff& diff : diffs) {
      EXPECT_FALSE(diff.error) << *diff.error;
      EXPECT_THAT(diff.text, HasSubstr("@@ -0,0 +1,"));
    }
    EXPECT_EQ(diffs[3].name, "example.com.v1.Lamp..red");
    const auto alone = Diff(map + kLamp);
    ASSERT_THAT(alone, SizeIs(2));
    EXPECT_THAT(alone[0].error->message(), HasSubstr("shop"));
    EXPECT_THAT(alone[1].error->message(), HasSubstr("x.yaml:4: "));
  });
}

TEST_F(ManifestsOnServer, ADeleteGoesBackwardsAndIgnoresAbsentOnesOnRequest) {
  Run([&] {
    const std::string all = std::string(kLamps) + "---\n" + kLamp + "---\n" + kMapA;
    Apply(all);
    EXPECT_THAT(Delete(all, {.dry_run = true}),
                ElementsAre("red deleted", "a deleted", "lamps.example.com deleted"));
    EXPECT_EQ(Map("a").Find("data")->size(), 1U);
    EXPECT_THAT(Delete(all), ElementsAre("red deleted", "a deleted", "lamps.example.com deleted"));
    EXPECT_THAT(Delete(kMapA),
                ElementsAre(AllOf(HasSubstr("x.yaml:1: configmap/a: "), HasSubstr("not found"))));
    EXPECT_THAT(
        Delete(all, {.ignore_not_found = true}),
        ::testing::UnorderedElementsAre("a absent", "red absent", "lamps.example.com absent"));
  });
}

TEST_F(ManifestsOnServer, ADeleteWaitsForFinalizersAndNamesThemWhenTimeIsOver) {
  Run([&] {
    const std::string kept =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: k, finalizers: [x.com/keep]}}\n";
    Apply(kept);
    std::vector<std::string> seen;
    EXPECT_THAT(Delete(kept, {.wait_timeout = std::chrono::seconds(30),
                              .on_result =
                                  [&](const DeleteResult& result) {
                                    seen.push_back(result.error ? "late" : "deleted");
                                  }}),
                ElementsAre(HasSubstr("it was not gone in time")));
    EXPECT_THAT(seen, ElementsAre("deleted", "late"));
    EXPECT_THAT(Delete(kept, {.wait = false}), ElementsAre("k deleted"));

    const SteadyTime start = sim_.env().Now();
    const Timer timer = sim_.env().loop().RunAt(start + std::chrono::seconds(90), [&] {
      server_
          .Patch({"", "v1", "configmaps"}, {"default", "k"},
                 json::Parse(R"({"metadata":{"finalizers":null}})").OrExit())
          .OrExit();
    });
    EXPECT_THAT(Delete(kept), ElementsAre("k deleted"));
    EXPECT_GE(sim_.env().Now() - start, std::chrono::seconds(90));
    EXPECT_LT(sim_.env().Now() - start, std::chrono::seconds(100));
  });
}

TEST_F(ManifestsOnServer, LimitsOfTheCallEndAnApply) {
  Run([&] {
    std::stop_source stop;
    stop.request_stop();
    report_ =
        ApplyManifests(client_, ParseManifests(kMapA).manifests, {}, {.stop = stop.get_token()});
    ASSERT_THAT(report_.results, SizeIs(1));
    EXPECT_EQ(report_.results[0].error->reason(), Reason::kCanceled);
  });
  EXPECT_THAT(server_.With([](auto& server) { return server.DumpState({"", "v1", "configmaps"}); }),
              Not(::testing::Contains(::testing::Pair("default/a", ::testing::_))));
}

}  // namespace
}  // namespace kinformer::testing
