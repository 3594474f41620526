// Views and mutable structs over bytes defined in this test; the registry.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/apiextensionsv1_mutable.h"
#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/metricsv1beta1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/encodes_to.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/object/mutable_text.h"
#include "kinformer/object/ref.h"

#include "object/transcode/block_text.h"
#include "object/transcode/transcode.h"
#include "wire/protobuf_writer.h"

namespace kinformer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","namespace":"default",)"
    R"("uid":"u1","resourceVersion":"7",)"
    R"("creationTimestamp":"2026-03-01T10:00:00Z","labels":{"app":"web","tier":"front"}},)"
    R"("spec":{"volumes":[{"name":"config","configMap":{"name":"settings"}}],)"
    R"("containers":[{"name":"main","image":"web:1","ports":[{"containerPort":8080}],)"
    R"("resources":{"requests":{"cpu":"500m","memory":"1Gi"}},)"
    R"("livenessProbe":{"httpGet":{"port":"http"},"periodSeconds":5}}],)"
    R"("terminationGracePeriodSeconds":0,"nodeName":"node-7"},"status":{"phase":"Running"}})";

TEST(Views, ReadAPod) {
  const auto built = internal::BuildFromJson(corev1::Pod::kind_info(), kPod);
  ASSERT_TRUE(built) << built.error();
  const Ref<corev1::Pod> ref(*built);
  const corev1::Pod pod = *ref;
  EXPECT_EQ(pod.metadata().name(), "web-0");
  EXPECT_EQ(pod.metadata().labels()["tier"], "front");
  EXPECT_EQ(pod.spec().nodeName(), "node-7");
  EXPECT_EQ(pod.spec().terminationGracePeriodSeconds(), 0);
  EXPECT_EQ(pod.spec().activeDeadlineSeconds(), std::nullopt);
  EXPECT_EQ(pod.status().phase(), "Running");
  ASSERT_EQ(pod.spec().containers().size(), 1U);
  for (const corev1::Container c : pod.spec().containers()) {
    EXPECT_EQ(c.image(), "web:1");
    EXPECT_EQ(c.resources().requests()["cpu"].MilliValue(), 500);
    ASSERT_TRUE(c.livenessProbe().has_value());
    // The fields of a probe's handler are inlined into the probe.
    EXPECT_EQ(c.livenessProbe()->httpGet()->port().StrVal(), "http");
  }
  for (const corev1::Volume v : pod.spec().volumes()) {
    EXPECT_EQ(v.name(), "config");
    EXPECT_EQ(v.configMap()->name(), "settings");
    EXPECT_FALSE(v.secret().has_value());
  }
}

// A pod has the fields of a scheduled pod. The names differ in length, so that malloc rounds up by
// every possible amount.
TEST(Blocks, APodTakesAtMost170BytesMoreThanItsPayload) {
  constexpr std::size_t kNames = 16;
  std::size_t over = 0;
  std::vector<internal::ObjectRef> kept;  // keeps them, so that no block gets a larger freed piece
  for (std::size_t i = 0; i < kNames; ++i) {
    const std::string json =
        R"({"metadata":{"name":"web-)" + std::string(i, 'x') +
        R"(","namespace":"default"},"spec":{)"
        R"("volumes":[{"name":"v"}],"containers":[{"name":"c"}],"restartPolicy":"Always",)"
        R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)"
        R"("serviceAccountName":"default",)"
        R"("serviceAccount":"default","nodeName":"node-7","hostNetwork":true,"hostPID":true,)"
        R"("securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"k"}],)"
        R"("priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},)"
        R"("status":{"phase":"Running","conditions":[{"type":"Ready"}],)"
        R"("hostIP":"10.0.0.1","podIP":"10.1.0.1",)"
        R"("startTime":"2026-03-01T10:00:00Z","containerStatuses":[{"name":"c"}],)"
        R"("qosClass":"Burstable",)"
        R"("podIPs":[{"ip":"10.1.0.1"}],"hostIPs":[{"ip":"10.0.0.1"}]}})";
    kept.push_back(internal::BuildFromJson(corev1::Pod::kind_info(), json).OrExit());
    over += kept.back()->allocated_bytes() - kept.back()->payload().size();
  }
  EXPECT_LE(over, 170 * kNames);
}

// The index has 32-bit bitmaps unless a child has a field with a larger number (hostUsers is 37),
// and 16-bit offsets unless the object is large.
TEST(Blocks, FieldsAreFoundInIndexesOfAllWidths) {
  for (const bool large_number : {false, true}) {
    for (const std::size_t padding : {std::size_t{0}, std::size_t{70'000}}) {
      const std::string json = R"({"metadata":{"name":"a","annotations":{"k":")" +
                               std::string(padding, 'x') +
                               R"("}},"spec":{"containers":[{"name":"c"}],)" +
                               (large_number ? R"("hostUsers":false,)" : "") +
                               R"("nodeName":"node-7"},"status":{"phase":"Running"}})";
      const Ref<corev1::Pod> pod(internal::BuildFromJson(corev1::Pod::kind_info(), json).OrExit());
      EXPECT_EQ(pod->metadata().annotations()["k"].size(), padding);
      EXPECT_EQ(pod->spec().nodeName(), "node-7");
      EXPECT_EQ(pod->spec().hostUsers(), large_number ? std::optional(false) : std::nullopt);
      EXPECT_EQ(pod->spec().containers().size(), 1U);
      EXPECT_EQ(pod->status().phase(), "Running");
      EXPECT_EQ(pod->status().message(), "");
    }
  }
}

TEST(Mutables, DeepCopyChangeAndSend) {
  const auto built = internal::BuildFromJson(corev1::Pod::kind_info(), kPod);
  ASSERT_TRUE(built) << built.error();
  const Ref<corev1::Pod> ref(*built);
  corev1::Pod::Mutable pod = ref->DeepCopy();
  EXPECT_EQ(internal::EncodeJson(pod), kPod);
  pod.metadata.labels["tier"] = "back";
  pod.spec.containers[0].livenessProbe->httpGet->port = 80;
  pod.spec.terminationGracePeriodSeconds.reset();
  const std::string json = internal::EncodeJson(pod);
  EXPECT_THAT(json, HasSubstr(R"("tier":"back")"));
  EXPECT_THAT(json, HasSubstr(R"("httpGet":{"port":80})"));
  EXPECT_THAT(json, testing::Not(HasSubstr("terminationGracePeriodSeconds")));
}

TEST(Mutables, EncodesTo_OnlyTheirOwnBytes) {
  const auto built = internal::BuildFromJson(corev1::Pod::kind_info(), kPod);
  ASSERT_TRUE(built) << built.error();
  const Ref<corev1::Pod> ref(*built);
  const corev1::Pod::Mutable pod = ref->DeepCopy();
  const std::string bytes = internal::EncodeProtobuf(pod);
  const auto encodes_to = [&](std::string_view other) {
    return internal::EncodesTo(corev1::Pod::Mutable::mutable_table(), &pod, other);
  };
  EXPECT_TRUE(encodes_to(bytes));
  EXPECT_FALSE(encodes_to(""));
  EXPECT_FALSE(encodes_to("x" + bytes));
  EXPECT_FALSE(encodes_to(bytes + "x"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string other = bytes;
    other[i] ^= 1;
    EXPECT_FALSE(encodes_to(other)) << "byte " << i;
    EXPECT_FALSE(encodes_to(bytes.substr(i + 1))) << "byte " << i;
  }
}

TEST(Mutables, UnknownFieldsSurvive) {
  corev1::ConfigMapMutable map;
  map.metadata.name = "settings";
  map.data["a"] = "1";
  std::string bytes = internal::EncodeProtobuf(map);
  const std::string unknown("\xa2\x06\x03new", 6);  // field 100
  bytes += unknown;
  const auto read = internal::DecodeProtobuf<corev1::ConfigMapMutable>(bytes);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->data.at("a"), "1");
  EXPECT_EQ(internal::EncodeProtobuf(*read), bytes);
}

// JSON members of a newer server, at every level, are sent back: with changes where they were made,
// else unchanged. Inlined messages share their parent's members.
TEST(Mutables, UnknownJsonMembersSurvive) {
  constexpr std::string_view kNewer =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","newMeta":1.50},)"
      R"("spec":{"containers":[{"name":"main","livenessProbe":{"httpGet":{"port":80,)"
      R"("newGet":"<a>"},"newProbe":[1, {"x":null}]},)"
      R"("resources":{},"newContainer":{"a":{"b":[]}}}],"newSpec":"caf\u00e9"},)"
      R"("status":{},"new/root":true})";
  internal::FieldProblems problems;
  ASSERT_TRUE(internal::JsonToProtobuf(*corev1::Pod::kind_info().message, kNewer, &problems));
  EXPECT_EQ(problems.unknown.size(), 6U);

  const auto built = internal::BuildFromJson(corev1::Pod::kind_info(), kNewer);
  ASSERT_TRUE(built) << built.error();
  const Ref<corev1::Pod> ref(*built);
  EXPECT_EQ(ref->spec().containers()[0].livenessProbe()->httpGet()->port().IntVal(), 80);
  json::Value wanted = json::Parse(kNewer).value();
  const auto same = [](json::Value got, const json::Value& want) {
    got.Ensure("metadata").Erase("creationTimestamp");  // always written
    EXPECT_EQ(got, want) << got.Dump();
  };
  same(json::Parse(internal::BlockToJson(**built)).value(), wanted);

  corev1::Pod::Mutable pod = ref->DeepCopy();
  pod.spec.nodeName = "node-7";
  pod.spec.containers[0].livenessProbe->httpGet->port = 81;
  wanted.Ensure("spec", "nodeName") = "node-7";
  wanted.Ensure("spec", "containers", 0, "livenessProbe", "httpGet", "port") = 81;
  same(json::Parse(internal::EncodeJson(pod)).value(), wanted);
  EXPECT_TRUE(internal::HasKeptMembers(internal::EncodeProtobuf(pod)));
  EXPECT_FALSE(internal::HasKeptMembers(internal::EncodeProtobuf(corev1::Pod::Mutable())));
  // Decoded from JSON, and from the bytes that processes of this library exchange.
  const auto read = internal::DecodeJson<corev1::PodMutable>(internal::EncodeJson(pod));
  ASSERT_TRUE(read) << read.error();
  same(json::Parse(internal::EncodeJson(*read)).value(), wanted);
}

// Anybody can send such a field: it is written to JSON only if it is one valid unknown member.
TEST(Mutables, ForgedMembersAreNotWritten) {
  for (const char* forged : {R"("kind":"Secret")", R"("data":{"a":"b"})", R"("x":1,"data":{})",
                             R"("x":1}{)", "", "x", R"("x")", R"("x":)"}) {
    std::string bytes;
    wire::ProtobufWriter(bytes).BytesField(internal::kKeptMemberField, forged);
    std::string json;
    ASSERT_TRUE(
        internal::ProtobufToJson(*corev1::ConfigMap::kind_info().message, bytes, json).ok());
    EXPECT_EQ(json, R"({"metadata":{}})") << forged;
  }
}

// Fields that the schema lacks also survive in nested protobuf messages.
TEST(Mutables, UnknownNestedProtobufFieldsSurvive) {
  const auto whole = internal::JsonToProtobuf(*corev1::Pod::kind_info().message, kPod);
  ASSERT_TRUE(whole) << whole.error();
  auto pod = internal::DecodeProtobuf<corev1::PodMutable>(*whole);
  ASSERT_TRUE(pod) << pod.error();
  const std::string unknown("\xa2\x7f\x03new", 6);  // field 2036
  pod->spec.unknown_fields = unknown;
  pod->spec.containers[0].unknown_fields = unknown;
  pod->spec.containers[0].livenessProbe->httpGet->unknown_fields = unknown;
  pod->metadata.unknown_fields = unknown;
  const std::string newer = internal::EncodeProtobuf(*pod);
  EXPECT_GE(newer.size(), whole->size() + 24);
  const auto built = internal::BuildFromProtobuf(corev1::Pod::kind_info(), newer);
  ASSERT_TRUE(built) << built.error();
  const Ref<corev1::Pod> ref(*built);
  corev1::Pod::Mutable copy = ref->DeepCopy();
  EXPECT_EQ(internal::EncodeProtobuf(copy), newer);
  copy.spec.containers[0].image = "web:2";
  const auto changed = internal::DecodeProtobuf<corev1::PodMutable>(internal::EncodeProtobuf(copy));
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->spec.containers[0].unknown_fields, unknown);
  EXPECT_EQ(changed->spec.containers[0].livenessProbe->httpGet->unknown_fields, unknown);
  EXPECT_EQ(changed->metadata.unknown_fields, unknown);
}

TEST(Mutables, EqualityTextAndYaml) {
  constexpr std::string_view kYaml =
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\n  namespace: default\nspec:\n"
      "  containers:\n  - name: main\n    resources:\n      requests:\n        cpu: 500m\nstatus: "
      "{}\n";
  const auto pod = FromYaml<corev1::PodMutable>(kYaml);
  ASSERT_TRUE(pod) << pod.error();
  EXPECT_EQ(ToYaml(*pod), kYaml);
  std::ostringstream line;
  line << *pod;
  EXPECT_EQ(line.str(), "Pod default/web-0");
  EXPECT_EQ(*FromJson<corev1::PodMutable>(ToJson(*pod)), *pod);
  corev1::PodMutable other = *pod;
  EXPECT_EQ(other, *pod);
  EXPECT_EQ(other.spec, pod->spec);
  other.spec.containers[0].resources.requests["cpu"] = *resource::Quantity::Parse("0.5");
  EXPECT_EQ(other, *pod);
  other.spec.hostNetwork = true;
  EXPECT_NE(other, *pod);
  EXPECT_EQ(other.status, pod->status);
  EXPECT_THAT(FromYaml<corev1::PodMutable>("spec:\n  nodeName: 7\n", "p.yaml").error().message(),
              HasSubstr("p.yaml: "));
  EXPECT_THAT(FromYaml<corev1::PodMutable>("a: 1\nb: [2\n", "p.yaml").error().message(),
              HasSubstr("p.yaml:"));
  // As in kubectl, the last value wins.
  EXPECT_EQ(
      FromYaml<corev1::PodMutable>("spec:\n  nodeName: a\n  nodeName: b\n").OrExit().spec.nodeName,
      "b");
}

TEST(Mutables, RecursiveTypes) {
  constexpr std::string_view kJson =
      R"({"type":"object","properties":{"a":{"type":"array","items":{"type":"string",)"
      R"("default":"x"}},)"
      R"("b":{"type":"object","additionalProperties":true,)"
      R"("x-kubernetes-preserve-unknown-fields":true}}})";
  auto schema = internal::DecodeJson<apiextensionsv1::JSONSchemaPropsMutable>(kJson);
  ASSERT_TRUE(schema) << schema.error();
  apiextensionsv1::JSONSchemaPropsMutable copy = *schema;
  copy.properties["a"].items->Schema->type = "integer";
  EXPECT_EQ(schema->properties["a"].items->Schema->type, "string");
  EXPECT_EQ(internal::EncodeJson(*schema), kJson);
}

TEST(Mutables, MalformedBytesNameTheField) {
  const auto read =
      internal::DecodeProtobuf<corev1::PodMutable>(std::string_view("\x12\x03\x52\x05x", 5));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("k8s.io.api.core.v1.PodSpec"));
}

// The last value of a map entry wins; all of them must be well-formed.
TEST(Mutables, EveryValueOfAMapEntryIsRead) {
  const auto overhead = [](std::string_view first_value) {
    const std::string entry =
        "\x0a\x01"
        "a\x12\x03" +
        std::string(first_value) +
        "\x12\x03\x0a\x01"
        "1";
    return "\x12\x10\x82\x02\x0d" + entry;
  };
  const std::string good = overhead(
      "\x0a\x01"
      "7");
  const auto read = internal::DecodeProtobuf<corev1::PodMutable>(good);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(internal::EncodeJson(*read),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{},"spec":{"containers":null,)"
            R"("overhead":{"a":"1"}},"status":{}})");
  std::string json;
  EXPECT_TRUE(internal::ProtobufToJson(*corev1::Pod::kind_info().message, good, json));
  EXPECT_THAT(json, HasSubstr(R"("overhead":{"a":"1"})"));

  const std::string bad = overhead("app");
  EXPECT_FALSE(internal::DecodeProtobuf<corev1::PodMutable>(bad));
  EXPECT_FALSE(internal::ProtobufToJson(*corev1::Pod::kind_info().message, bad, json));
}

struct BadJson {
  const char* json;
  const char* message;
};

class JsonErrors : public testing::TestWithParam<BadJson> {};

TEST_P(JsonErrors, SayWhere) {
  const auto read = internal::DecodeJson<corev1::PodMutable>(GetParam().json);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().reason(), Reason::kDecode);
  EXPECT_THAT(read.error().message(), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, JsonErrors,
    testing::Values(BadJson{R"({"spec":)", "unexpected end at byte 8"},
                    BadJson{R"({"spec":{}} x)", "more text after the value at byte 12"},
                    BadJson{R"({"spec":{"nodeName":7}})",
                            "spec.nodeName: expected a string, got a number at byte 20"},
                    BadJson{R"({"spec":{"priority":3000000000}})", "does not fit into 32 bits"},
                    BadJson{R"({"spec":{"priority":1.5}})", "expected an integer, got 1.5"},
                    BadJson{R"({"spec":{"containers":[{},{"name":[]}]}})",
                            "spec.containers[1].name: expected a string"},
                    BadJson{R"({"metadata":{"creationTimestamp":"yesterday"}})",
                            "metadata.creationTimestamp: \"yesterday\" is no RFC 3339"},
                    BadJson{R"({"spec":{"overhead":{"cpu":"1 core"}}})",
                            "spec.overhead.cpu: \"1 core\" is no quantity"},
                    BadJson{"[]", "expected an object, got an array"}));

TEST(Transcode, BytesThatAreNoBase64) {
  const auto secret = [](std::string_view data) {
    return internal::JsonToProtobuf(*corev1::Secret::kind_info().message,
                                    R"({"data":{"a":)" + std::string(data) + "}}");
  };
  EXPECT_TRUE(secret(R"("aGk=")"));
  for (const char* bad : {R"("aGk")", R"("a*k=")", R"("aGk=x")", "7"})
    EXPECT_FALSE(secret(bad)) << bad;
  const auto refused = secret(R"("not-so-secret!")");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("data.a: the string is not valid base64"));
  EXPECT_EQ(refused.error().message().find("not-so"), std::string::npos) << "it may be a Secret's";
}

TEST(Transcode, Durations) {
  const auto& message = *metricsv1beta1::PodMetrics::kind_info().message;
  const auto bytes = internal::JsonToProtobuf(message, R"({"window":"1m30s"})");
  ASSERT_TRUE(bytes) << bytes.error();
  std::string json;
  ASSERT_TRUE(internal::ProtobufToJson(message, *bytes, json));
  EXPECT_THAT(json, HasSubstr(R"("window":"1m30s")"));
  const auto refused = internal::JsonToProtobuf(message, R"({"window":"soon"})");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("window: \"soon\" is no duration such as"));
}

TEST(Transcode, NamesUnknownAndDuplicateFields) {
  internal::FieldProblems problems;
  const auto message = internal::JsonToProtobuf(
      *corev1::Pod::kind_info().message,
      R"({"kind":"Pod","spec":{"nodeNam":"x","containers":[{"name":"a","name":"b","foo":{}}],)"
      R"("volumes":[{"name":"v","configMap":{"name":"c","kind":"x"}}]},"extra":1})",
      &problems);
  ASSERT_TRUE(message) << message.error();
  EXPECT_THAT(
      problems.unknown,
      ElementsAre("unknown field \"spec.nodeNam\"", "unknown field \"spec.containers[0].foo\"",
                  "unknown field \"spec.volumes[0].configMap.kind\"", "unknown field \"extra\""));
  EXPECT_THAT(problems.duplicate, ElementsAre("duplicate field \"spec.containers[0].name\""));
}

// Absent, null and zero values as in Go: containers has no omitempty, structs are always written.
TEST(Transcode, ZeroValues) {
  const auto& message = *corev1::Pod::kind_info().message;
  const auto bytes =
      internal::JsonToProtobuf(message, R"({"spec":{"hostUsers":false,"volumes":null}})");
  ASSERT_TRUE(bytes) << bytes.error();
  std::string json;
  ASSERT_TRUE(internal::ProtobufToJson(message, *bytes, json).ok());
  EXPECT_EQ(json, R"({"metadata":{},"spec":{"containers":null,"hostUsers":false},"status":{}})");
}

// Any input gives an error or an object, without a read beyond the end.
TEST(Transcode, CutAndDamagedInput) {
  const auto& message = *corev1::Pod::kind_info().message;
  const auto whole = internal::JsonToProtobuf(message, kPod);
  ASSERT_TRUE(whole) << whole.error();
  int refused = 0;
  const auto decode = [&](const std::string& bytes) {
    std::string json;
    const bool ok = internal::ProtobufToJson(message, bytes, json).ok();
    EXPECT_EQ(ok, !json.empty());
    const auto object = internal::DecodeProtobuf<corev1::PodMutable>(bytes);
    if (!object) ++refused;
  };
  for (std::size_t i = 0; i < whole->size(); ++i) {
    decode(whole->substr(0, i));
    for (const char damage : {'\x00', '\x7f', '\xff'}) {
      std::string bytes = *whole;
      bytes[i] = damage;
      decode(bytes);
    }
  }
  EXPECT_GT(refused, 100);
  for (std::size_t i = 0; i < kPod.size(); ++i) {
    EXPECT_FALSE(internal::JsonToProtobuf(message, std::string(kPod.substr(0, i)))) << i;
    std::string json(kPod);
    json[i] = '\xff';
    static_cast<void>(internal::JsonToProtobuf(message, json).ok());
  }
}

TEST(Registry, FindsKindsAndResources) {
  const auto* deployment = internal::FindType("apps", "v1", "Deployment");
  ASSERT_NE(deployment, nullptr);
  EXPECT_EQ(deployment, &appsv1::Deployment::kind_info());
  EXPECT_EQ(deployment->resource, "deployments");
  EXPECT_TRUE(deployment->namespaced);
  const auto* pods = internal::FindResource("", "v1", "pods");
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(pods->type, &corev1::Pod::kind_info());
  EXPECT_THAT(pods->short_names, ElementsAre("po"));
  EXPECT_EQ(internal::FindResource("", "v1", "pod"), nullptr);
  EXPECT_EQ(internal::FindType("apps", "v1", "Pod"), nullptr);
  EXPECT_FALSE(internal::FindResource("", "v1", "nodes")->type->namespaced);
  EXPECT_EQ(internal::FindResourceOf(*deployment)->resource, "deployments");
  EXPECT_NE(internal::FindType("", "v1", "Status"), nullptr);
}

TEST(Registry, TablesAreInOrder) {
  const auto types = internal::AllTypes();
  for (std::size_t i = 1; i < types.size(); ++i) {
    EXPECT_LT(std::tie(types[i - 1]->group, types[i - 1]->version, types[i - 1]->kind),
              std::tie(types[i]->group, types[i]->version, types[i]->kind));
  }
  for (const KindInfo* type : types) {
    ASSERT_NE(type->message, nullptr) << type->kind;
    for (const internal::FieldDescriptor& field : type->message->fields) {
      EXPECT_EQ(internal::FindByNumber(*type->message, field.number), &field);
      if (field.inlined) continue;
      EXPECT_EQ(internal::FindByName(*type->message, field.json_name), &field);
    }
  }
}

TEST(MessageViews, CompareHashPrintAndCopy) {
  const Ref<corev1::Pod> ref(internal::BuildFromJson(corev1::Pod::kind_info(), kPod).OrExit());
  const Ref<corev1::Pod> other(internal::BuildFromJson(corev1::Pod::kind_info(), kPod).OrExit());
  const corev1::Container main = ref->spec().containers()[0];
  const corev1::Container same = other->spec().containers()[0];
  EXPECT_EQ(main, same);
  EXPECT_EQ(std::hash<corev1::Container>()(main), std::hash<corev1::Container>()(same));
  EXPECT_EQ(ref->spec(), other->spec());
  EXPECT_NE(main, corev1::Container());
  EXPECT_EQ(ref->metadata(), other->metadata());

  constexpr std::string_view kMain =
      R"({"name":"main","image":"web:1","ports":[{"containerPort":8080}],)"
      R"("resources":{"requests":{"cpu":"500m","memory":"1Gi"}},)"
      R"("livenessProbe":{"httpGet":{"port":"http"},"periodSeconds":5}})";
  EXPECT_EQ(main.ToJson(), kMain);
  std::ostringstream line;
  line << main;
  EXPECT_EQ(line.str(), kMain);
  EXPECT_EQ(main.livenessProbe()->ToYaml(), "httpGet:\n  port: http\nperiodSeconds: 5\n");
  EXPECT_EQ(json::Parse(ref->metadata().ToJson()).value()["labels"]["tier"].StringOrEmpty(),
            "front");
  std::ostringstream name;
  name << ref->metadata();
  EXPECT_EQ(name.str(), "default/web-0");

  corev1::ContainerMutable copy = main.DeepCopy();
  EXPECT_EQ(copy.ports.at(0).containerPort, 8080);
  copy.image = "web:2";
  EXPECT_EQ(main.image(), "web:1");
  EXPECT_NE(copy, main.DeepCopy());
  EXPECT_EQ(ref->metadata().DeepCopy().labels.at("app"), "web");
  EXPECT_EQ(corev1::PodSpec().DeepCopy(), corev1::PodSpecMutable());

  // A malformed message has no JSON, and is counted.
  const std::uint64_t before = internal::MalformedReads();
  EXPECT_EQ(corev1::Container(internal::MessageView(std::string_view("\x0a\x05x"))).ToJson(), "");
  EXPECT_EQ(internal::MalformedReads(), before + 1);
}

// Each case was found by fuzzing.
TEST(HostileProtobuf, PartsOfAnotherWireType) {
  const KindInfo& type = corev1::Pod::kind_info();
  constexpr std::string_view kMetadata = "\x0a\x04\x0a\x02me";
  // The metadata is a number.
  EXPECT_FALSE(internal::BuildFromProtobuf(type, std::string_view("\x08\x01", 2)));
  // A message in parts, one of which is a number: that part is dropped, and the index covers the
  // rest.
  std::string message(kMetadata);
  message += std::string_view("\x10\x05", 2);  // spec: 5
  message += "\x12\x06\x52\x04node";           // spec: nodeName
  message += std::string_view("\x10\x06", 2);
  message += "\x12\x05\x82\x01\x02hn";  // spec: hostname
  const Ref<corev1::Pod> pod(internal::BuildFromProtobuf(type, message).OrExit());
  EXPECT_EQ(pod->metadata().name(), "me");
  EXPECT_EQ(pod->spec().nodeName(), "node");
  EXPECT_EQ(pod->spec().hostname(), "hn");
}

TEST(HostileProtobuf, MapKeysThatAreNoText) {
  // data: {key: 1, value: "v"}
  constexpr std::string_view kData("\x12\x05\x08\x01\x12\x01v", 7);
  std::string json;
  EXPECT_FALSE(internal::ProtobufToJson(*corev1::ConfigMap::kind_info().message, kData, json));
  EXPECT_EQ(json, "");
}

TEST(HostileProtobuf, ManagedFieldsThatAreNoJson) {
  // metadata: managedFields: fieldsV1: Raw: "{"
  constexpr std::string_view kPodMessage("\x0a\x0b\x0a\x01n\x8a\x01\x05\x3a\x03\x0a\x01{", 13);
  std::string json;
  ASSERT_TRUE(internal::ProtobufToJson(*corev1::Pod::kind_info().message, kPodMessage, json));
  EXPECT_THAT(json, HasSubstr(R"("fieldsV1":{})"));
}

}  // namespace
}  // namespace kinformer
