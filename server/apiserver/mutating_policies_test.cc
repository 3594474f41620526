#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing/admission_fixture.h"
#include "apiserver/testing/policy_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::HasSubstr;

class MutatingPoliciesTest : public PolicyFixture {
 protected:
  explicit MutatingPoliciesTest(ApiServerOptions options = {})
      : PolicyFixture(std::move(options)) {}

  // Makes a mutating policy for ConfigMaps and its binding, of the same name.
  void Mutate(const std::string& name, const std::string& more, const std::string& binding = "{}") {
    json::Value spec = Spec("{`reinvocationPolicy`:`Never`}");
    spec.MergePatch(Ticked(more));
    const Reply policy = Send("mutatingadmissionpolicies", name, std::move(spec));
    ASSERT_EQ(policy.status, 201) << policy.body;
    json::Value bound = Ticked("{`policyName`:`" + name + "`}");
    bound.MergePatch(Ticked(binding));
    const Reply made = Send("mutatingadmissionpolicybindings", name, std::move(bound));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  static std::string Apply(const std::string& expression) {
    return "{`patchType`:`ApplyConfiguration`,`applyConfiguration`:{`expression`:`" + expression +
           "`}}";
  }
  static std::string Patch(const std::string& expression) {
    return "{`patchType`:`JSONPatch`,`jsonPatch`:{`expression`:`" + expression + "`}}";
  }
  static std::string Mutations(const std::string& mutations) {
    return "{`mutations`:[" + mutations + "]}";
  }
  void RemoveMutation(const std::string& name) {
    server_.Do("DELETE", std::string(kGroup) + "mutatingadmissionpolicybindings/" + name);
    server_.Do("DELETE", std::string(kGroup) + "mutatingadmissionpolicies/" + name);
  }
  // Returns the member of a ConfigMap as it would be created, or the message of the refusal.
  std::string Made(const std::string& body, std::string_view pointer) {
    const Reply reply = Post(body, "?dryRun=All");
    return reply.status == 201 ? reply.Json().At(pointer).Dump()
                               : reply.Json()["message"].StringOrEmpty();
  }
};

TEST_F(MutatingPoliciesTest, ApplyConfigurations_AreMerged) {
  Mutate("p", Mutations(Apply("Object{metadata: Object.metadata{labels: {'a': object.metadata.name}"
                              "}, data: {'k': 'v'}}")));
  EXPECT_EQ(Made(Map("x", R"(,"data":{"k":"old","l":"m"})"), "/data"), R"({"k":"v","l":"m"})");
  EXPECT_EQ(Made(Map("x"), "/metadata/labels"), R"({"a":"x"})");
}

TEST_F(MutatingPoliciesTest, ListsWithKeys_AreMergedByThem) {
  Mutate(
      "p",
      Mutations(Apply("Object{spec: Object.spec{containers: [Object.spec.containers{"
                      "name: 'side', image: 'i'}]}}"))
          .insert(1,
                  "`matchConstraints`:{`resourceRules`:[{`operations`:[`CREATE`],`apiGroups`:[``],"
                  "`apiVersions`:[`v1`],`resources`:[`pods`]}]},"));
  const Reply reply =
      server_.Do("POST", "/api/v1/namespaces/default/pods",
                 R"({"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"a"}]}})");
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.Json().At("/spec/containers").size(), 2U);
  EXPECT_EQ(reply.Json().At("/spec/containers/0/image").StringOrEmpty(), "a");
  EXPECT_EQ(reply.Json().At("/spec/containers/1/name").StringOrEmpty(), "side");
  EXPECT_EQ(reply.Json().At("/spec/containers/1/imagePullPolicy").StringOrEmpty(), "Always");
}

TEST_F(MutatingPoliciesTest, JsonPatches_AreApplied) {
  Mutate("p",
         Mutations(Patch("[JSONPatch{op: 'add', path: '/metadata/labels', value: {}},"
                         "JSONPatch{op: 'add', path: '/metadata/labels/' + "
                         "jsonpatch.escapeKey('a.b/c'), value: 'd'}]") +
                   "," +
                   Patch("has(object.metadata.labels) ? [JSONPatch{op: 'copy', "
                         "from: '/metadata/labels/a.b~1c', path: '/metadata/labels/e'}] : []")));
  EXPECT_EQ(Made(Map("x"), "/metadata/labels"), R"({"a.b/c":"d","e":"d"})");
}

TEST_F(MutatingPoliciesTest, AFailedTest_LeavesTheObject) {
  Mutate("p", Mutations(Patch("[JSONPatch{op: 'add', path: '/immutable', value: true},"
                              "JSONPatch{op: 'test', path: '/metadata/name', value: 'y'}]")));
  EXPECT_EQ(Made(Map("x"), "/immutable"), "null");
  EXPECT_EQ(Made(Map("y"), "/immutable"), "true");
}

TEST_F(MutatingPoliciesTest, Refusals_AreThoseOfARealServer) {
  struct Row {
    std::string mutation;
    std::string why;
  };
  for (const Row& row : {
           Row{Patch("[JSONPatch{op: 'remove', path: '/data'}]"),
               "JSON Patch: JSON patch, operation 1 (remove /data): there is no such value"},
           Row{Patch("[JSONPatch{op: object.data.op, path: '/data'}]"),
               "expression '[JSONPatch{op: object.data.op, path: '/data'}]' resulted in error: no "
               "such key: data"},
           Row{Apply("Object{data: Object.spec{}}"),
               "type mismatch: unexpected type name \"Object.spec\", expected \"Object.data\", "
               "which matches field name path from root Object type"},
           Row{Apply("Object{spec: Object.spec{}}"),
               "error applying patch: failed to convert patch object to typed object: .spec: field "
               "not declared in schema"},
       }) {
    Mutate("p", Mutations(row.mutation));
    const Reply reply = Post(Map("x"));
    EXPECT_EQ(reply.status, 403);
    const std::string message = "policy 'p' with binding 'p' denied request: " + row.why;
    EXPECT_EQ(reply.Json()["message"].StringOrEmpty(), message);
    EXPECT_EQ(reply.Json()["reason"].StringOrEmpty(), "Invalid");
    EXPECT_EQ(reply.Json().At("/details/causes/0/message").StringOrEmpty(), message);
    RemoveMutation("p");
  }
}

TEST_F(MutatingPoliciesTest, AtomicLists_CannotBeApplied) {
  Mutate(
      "p",
      Mutations(Apply("Object{spec: Object.spec{containers: [Object.spec.containers{"
                      "name: 'c', args: ['a']}]}}"))
          .insert(1,
                  "`matchConstraints`:{`resourceRules`:[{`operations`:[`CREATE`],`apiGroups`:[``],"
                  "`apiVersions`:[`v1`],`resources`:[`pods`]}]},"));
  const Reply reply =
      server_.Do("POST", "/api/v1/namespaces/default/pods",
                 R"({"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"a"}]}})");
  EXPECT_THAT(reply.Json()["message"].StringOrEmpty(),
              HasSubstr("error applying patch: invalid ApplyConfiguration: may not mutate atomic "
                        "arrays, maps or structs: .spec.containers[0].args"));
}

TEST_F(MutatingPoliciesTest, FailuresMayBeIgnored) {
  Mutate("p", Mutations(Patch("[JSONPatch{op: 'remove', path: '/data'}]") + "," +
                        Apply("Object{immutable: true}"))
                  .insert(1, "`failurePolicy`:`Ignore`,"));
  EXPECT_EQ(Made(Map("x"), "/immutable"), "true");
}

TEST_F(MutatingPoliciesTest, ConditionsVariablesAndParams_AreThoseOfOtherPolicies) {
  Mutate(
      "p",
      Mutations(Apply("Object{data: {'zone': params.metadata.name + variables.tail}}"))
          .insert(1,
                  "`paramKind`:{`apiVersion`:`v1`,`kind`:`Namespace`},"
                  "`variables`:[{`name`:`tail`,`expression`:`'-' + request.operation`}],"
                  "`matchConditions`:[{`name`:`n`,`expression`:`object.metadata.name == 'x'`}],"),
      "{`paramRef`:{`name`:`kube-system`,`parameterNotFoundAction`:`Deny`}}");
  EXPECT_EQ(Made(Map("x"), "/data"), R"({"zone":"kube-system-CREATE"})");
  EXPECT_EQ(Made(Map("y"), "/data"), "null");
}

TEST_F(MutatingPoliciesTest, EachPolicySeesWhatTheOneBeforeItHasChanged) {
  const std::string count =
      "[JSONPatch{op: 'add', path: '/data', value: {'n': "
      "string(int(object.?data.n.orValue('0')) + 1)}}]";
  Mutate("a", Mutations(Patch(count)));
  Mutate("b", Mutations(Patch(count) + "," + Patch(count)));
  EXPECT_EQ(Made(Map("x"), "/data/n"), R"("3")");
}

TEST_F(MutatingPoliciesTest, ReinvocationIfNeeded_AppliesOnceMore) {
  Mutate("a", Mutations(Apply("Object{metadata: Object.metadata{labels: {'size': "
                              "string(object.?data.orValue({}).size())}}}"))
                  .insert(1, "`reinvocationPolicy`:`IfNeeded`,"));
  Mutate("b", Mutations(Apply("Object{data: {'k': 'v'}}")));
  EXPECT_EQ(Made(Map("x"), "/metadata/labels/size"), R"("1")");
}

TEST_F(MutatingPoliciesTest, DeletesAndPoliciesThemselves_AreNotMutated) {
  const Reply reply = Send("mutatingadmissionpolicies", "p",
                           Ticked("{`reinvocationPolicy`:`Never`,`matchConstraints`:{"
                                  "`resourceRules`:[{`operations`:[`DELETE`],`apiGroups`:[``],"
                                  "`apiVersions`:[`v1`],`resources`:[`pods`]}]},`mutations`:[" +
                                  Apply("Object{}") + "]}"));
  EXPECT_EQ(reply.status, 422);
  EXPECT_THAT(reply.Json()["message"].StringOrEmpty(),
              HasSubstr("spec.matchConstraints.resourceRules.operations: Unsupported value: "
                        "\"DELETE\": supported values: \"*\", \"CONNECT\", \"CREATE\", "
                        "\"UPDATE\""));
  Mutate("q", Mutations(Patch("[JSONPatch{op: 'remove', path: '/nothing'}]")));
  EXPECT_EQ(Post(Map("x")).status, 403);
  EXPECT_EQ(server_.Do("DELETE", std::string(kMaps) + "/x").status, 404);
  RemoveMutation("q");
  EXPECT_EQ(Post(Map("x")).status, 201);
}

TEST_F(MutatingPoliciesTest, ACustomResource_IsMergedByItsSchema) {
  ASSERT_EQ(server_
                .Do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                    R"({"metadata":{"name":"limits.x.io"},"spec":{"group":"x.io","scope":
                      "Namespaced","names":{"plural":"limits","kind":"Limit"},"versions":[{"name":
                      "v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":
                      "object","properties":{"most":{"type":"integer"},"least":{"type":"integer",
                      "default":7},"tags":{"type":"array","x-kubernetes-list-type":"set","items":
                      {"type":"string"}}}}}}]}})")
                .status,
            201);
  Mutate("p", Mutations(Apply("Object{most: 3, tags: ['b']}"))
                  .insert(1,
                          "`matchConstraints`:{`resourceRules`:[{`operations`:[`CREATE`],"
                          "`apiGroups`:[`x.io`],`apiVersions`:[`v1`],`resources`:[`limits`]}]},"));
  const Reply reply =
      server_.Do("POST", "/apis/x.io/v1/namespaces/default/limits",
                 R"({"apiVersion":"x.io/v1","kind":"Limit","metadata":{"name":"l"},"tags":["a"]})");
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.Json()["most"].AsInt64(), 3);
  EXPECT_EQ(reply.Json()["least"].AsInt64(), 7);
  EXPECT_EQ(reply.Json()["tags"].Dump(), R"(["a","b"])");
}

TEST_F(MutatingPoliciesTest, AScale_IsMutatedAsSuch) {
  Mutate("p", Mutations(Apply("Object{spec: Object.spec{replicas: object.spec.replicas + 1}}"))
                  .insert(1,
                          "`matchConstraints`:{`resourceRules`:[{`operations`:[`UPDATE`],"
                          "`apiGroups`:[`apps`],`apiVersions`:[`v1`],"
                          "`resources`:[`deployments/scale`]}]},"));
  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  ASSERT_EQ(server_
                .Do("POST", deployments,
                    R"({"metadata":{"name":"d"},"spec":{"replicas":1,"selector":{"matchLabels":
                      {"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":
                      [{"name":"c","image":"i"}]}}}})")
                .status,
            201);
  const Reply reply = server_.Do("PUT", deployments + "/d/scale",
                                 R"({"metadata":{"name":"d"},"spec":{"replicas":2}})");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.Json().At("/spec/replicas").AsInt64(), 3);
}

TEST_F(MutatingPoliciesTest, ALargeObject_IsChangedOffTheLoop) {
  Mutate("p", Mutations(Patch("[JSONPatch{op: 'copy', from: '/data/a', path: '/data/b'}]")));
  const std::string text(40'000, 'a');
  EXPECT_EQ(Made(Map("x", R"(,"data":{"a":")" + text + "\"}"), "/data/b"), "\"" + text + "\"");
}

TEST_F(MutatingPoliciesTest, MemoryThatPoliciesAdd_IsLimited) {
  // Each doubles the object.
  std::string all;
  for (int i = 0; i < 13; ++i) {
    const std::string path = "'/data/more" + std::to_string(i) + "'";
    all += (i > 0 ? "," : "") + Patch("[JSONPatch{op: 'copy', from: '/data', path: " + path + "}]");
  }
  Mutate("p", Mutations(all));
  const Reply reply = Post(Map("x", R"(,"data":{"a":")" + std::string(100'000, 'a') + "\"}"));
  EXPECT_EQ(reply.status, 413) << reply.body.substr(0, 300);
}

TEST_F(MutatingPoliciesTest, AFaultyPolicyIsRefusedWhenItIsWritten) {
  struct Row {
    std::string mutation;
    std::string cause;
  };
  for (const Row& row : {
           Row{Apply("Object.spec{}"),
               "spec.mutations[0].applyConfiguration.expression: Invalid value: \"Object.spec{}\": "
               "must evaluate to Object but got Object.spec"},
           Row{Patch("JSONPatch{}"),
               "spec.mutations[0].jsonPatch.expression: Invalid value: \"JSONPatch{}\": must "
               "evaluate to list(JSONPatch) but got JSONPatch"},
           Row{Patch("[JSONPatch{op: 1}]"),
               "expected type of field 'op' is 'string' but provided type is 'int'"},
           Row{"{`patchType`:`Other`}",
               "spec.mutations[0].patchType: Unsupported value: \"Other\": supported values: "
               "\"ApplyConfiguration\", \"JSONPatch\""},
           Row{"{`patchType`:`JSONPatch`}",
               "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is "
               "JSONPatch"},
           Row{"{`patchType`:`ApplyConfiguration`}",
               "spec.mutations[0].applyConfiguration: Required value: must be specified when "
               "patchType is ApplyConfiguration"},
       }) {
    json::Value spec = Spec("{`reinvocationPolicy`:`Never`}");
    spec.MergePatch(Ticked(Mutations(row.mutation)));
    const Reply reply = Send("mutatingadmissionpolicies", "p", std::move(spec));
    EXPECT_EQ(reply.status, 422) << row.mutation;
    EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), HasSubstr(row.cause));
  }
}

// ---- With webhooks

class PoliciesAndWebhooks : public MutatingPoliciesTest {
 protected:
  PoliciesAndWebhooks()
      : MutatingPoliciesTest({.webhook_transport = [this](const WebhookAddress& address) {
          return hooks_->To(server_.sim().env(), address);
        }}) {}

  const std::shared_ptr<AdmissionHooks> hooks_ = std::make_shared<AdmissionHooks>();
};

TEST_F(PoliciesAndWebhooks, PoliciesComeFirst) {
  hooks_->At("m");
  hooks_->At("v");
  Configure(server_, "Mutating", "m", "{}");
  Configure(server_, "Validating", "v", "{}");
  Mutate("a", Mutations(Apply("Object{data: {'k': 'v'}}")));
  EXPECT_EQ(Post(Map("x")).status, 201);
  ASSERT_EQ(hooks_->At("m").asked.size(), 1U);
  EXPECT_EQ(hooks_->At("m").asked[0].At("/object/data/k").StringOrEmpty(), "v");
  Policy("b", "{`validations`:[{`expression`:`false`}]}");
  hooks_->At("v").asked.clear();
  EXPECT_EQ(Post(Map("y")).status, 422);
  EXPECT_TRUE(hooks_->At("v").asked.empty());
}

TEST_F(PoliciesAndWebhooks, EachMayBeAskedAgainAfterTheOther) {
  hooks_->At("m").answer = [](const json::Value& request) {
    return request.At("/object/data/hook").is_null()
               ? PatchWith(R"([{"op":"add","path":"/data","value":{"hook":"h"}}])")
               : Allow();
  };
  Configure(server_, "Mutating", "m", R"({"reinvocationPolicy":"IfNeeded"})");
  Mutate("a", Mutations(Apply("Object{metadata: Object.metadata{labels: {'hook': "
                              "object.?data.hook.orValue('none')}}}"))
                  .insert(1, "`reinvocationPolicy`:`IfNeeded`,"));
  const Reply reply = Post(Map("x"));
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.Json().At("/metadata/labels/hook").StringOrEmpty(), "h");
  ASSERT_EQ(hooks_->At("m").asked.size(), 2U);
  EXPECT_EQ(hooks_->At("m").asked[0].At("/object/metadata/labels/hook").StringOrEmpty(), "none");
  EXPECT_EQ(hooks_->At("m").asked[1].At("/object/metadata/labels/hook").StringOrEmpty(), "h");
}

class WithoutMutations : public MutatingPoliciesTest {
 protected:
  WithoutMutations()
      : MutatingPoliciesTest({.disable_admission_plugins = {"MutatingAdmissionPolicy"}}) {}
};

TEST_F(WithoutMutations, APolicy_HasNoEffect) {
  Mutate("p", Mutations(Apply("Object{data: {'k': 'v'}}")));
  EXPECT_EQ(Made(Map("x"), "/data"), "null");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
