#include "apiserver/builtin/defaults.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/builtin/defaults_scalars.h"
#include "apiserver/testing.h"
#include "object/transcode/protobuf_to_value.h"
#include "object/transcode/transcode.h"
#include "object/transcode/value_to_protobuf.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MessageDescriptor;
using testing::HeaderList;
using testing::Reply;
using testing::TestServer;

std::string KindOf(const json::Value& object) {
  return object["apiVersion"].StringOrEmpty() + " " + object["kind"].StringOrEmpty();
}

std::string ApiVersion(const KindInfo& type) {
  return std::string(type.group).append(type.group.empty() ? "" : "/").append(type.version);
}

const MessageDescriptor* MessageOf(const json::Value& object) {
  const std::string version = object["apiVersion"].StringOrEmpty();
  const std::size_t slash = version.find('/');
  const bool core = slash == std::string::npos;
  const KindInfo* type = internal::FindType(core ? "" : version.substr(0, slash),
                                            core ? version : version.substr(slash + 1),
                                            object["kind"].StringOrEmpty());
  return type == nullptr ? nullptr : type->message;
}

// One case per line: what a client sends, and what kube-apiserver returns (`learn -record`).
TEST(Defaults, AreThoseOfTheRealServer) {
  std::ifstream file(KINFORMER_DEFAULTS_CASES);
  std::string line;
  std::string sent;
  Defaults defaults;
  int cases = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("> ")) sent = line.substr(2);
    if (!line.starts_with("< ")) continue;
    SCOPED_TRACE(sent);
    json::Value object = json::Parse(sent).value_or(json::Value());
    const MessageDescriptor* message = MessageOf(object);
    ASSERT_NE(message, nullptr);
    ASSERT_TRUE(defaults.Apply(*message, KindOf(object), object).ok());
    const json::Value want = json::Parse(std::string_view(line).substr(2)).value_or(json::Value());
    EXPECT_EQ(object.Dump({.sort_keys = true}), want.Dump({.sort_keys = true}));
    ++cases;
  }
  EXPECT_GE(cases, 45);
}

// Returns an object with all members set, some levels deep.
json::Value Full(const MessageDescriptor& message, int depth);

json::Value SampleOf(const FieldDescriptor& field, int depth) {
  switch (field.kind) {
    case FieldKind::kString:
      return "text";
    case FieldKind::kBool:
      return true;
    case FieldKind::kInt32:
    case FieldKind::kInt64:
    case FieldKind::kIntOrString:
      return 7;
    case FieldKind::kDouble:
      return 1.5;
    case FieldKind::kBytes:
      return "eA==";
    case FieldKind::kTime:
      return "2026-01-02T03:04:05Z";
    case FieldKind::kMicroTime:
      return "2026-01-02T03:04:05.000006Z";
    case FieldKind::kDuration:
      return "90s";
    case FieldKind::kQuantity:
      return "1.5Gi";
    case FieldKind::kRawJson:
      return json::Value::MakeObject({{"a", 1}});
    case FieldKind::kJsonUnion:
      return {};
    case FieldKind::kMessage:
      break;
  }
  return Full(*field.message, depth - 1);
}

json::Value Full(const MessageDescriptor& message, int depth) {
  json::Value out = json::Value::MakeObject();
  if (depth == 0) return out;
  for (const std::uint16_t index : message.json_order) {
    const FieldDescriptor& field = message.fields[index];
    if (field.inlined) {
      const json::Value inner = Full(*field.message, depth);
      for (const auto& [name, value] : inner.members()) out.Set(name, value);
      continue;
    }
    json::Value value = SampleOf(field, depth);
    if (value.is_null()) continue;
    if (field.repeated) value = json::Value::MakeArray({std::move(value)});
    if (field.map) value = json::Value::MakeObject({{"b", value}, {"a", value}});
    out.Set(field.json_name, std::move(value));
  }
  return out;
}

// Returns the place where two long strings differ.
std::string Difference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::size_t from = at < 60 ? 0 : at - 60;
  return a.substr(from, 120) + " <> " + b.substr(from, 120);
}

// Applying defaults twice changes nothing more, and the result survives encoding as protobuf.
TEST(Defaults, DefaultsAppliedTwice_ChangeNothing) {
  Defaults defaults;
  int kinds = 0;
  for (const internal::ResourceInfo& resource : internal::AllResources()) {
    const MessageDescriptor* message = resource.type->message;
    if (!resource.served || message == nullptr) continue;
    const std::string kind = ApiVersion(*resource.type) + " " + std::string(resource.type->kind);
    for (const int depth : {0, 1, 2, 3, 6}) {
      SCOPED_TRACE(kind + " " + std::to_string(depth));
      json::Value once = Full(*message, depth);
      ASSERT_TRUE(defaults.Apply(*message, kind, once).ok());
      json::Value twice = once;
      ASSERT_TRUE(defaults.Apply(*message, kind, twice).ok());
      EXPECT_EQ(Difference(once.Dump(), twice.Dump()), "");
      const auto bytes = internal::JsonToProtobuf(*message, once.Dump());
      ASSERT_TRUE(bytes.ok()) << bytes.error().message();
      EXPECT_EQ(internal::ValueToProtobuf(*message, once).OrExit(), *bytes);
      std::string decoded;
      ASSERT_TRUE(internal::ProtobufToJson(*message, *bytes, decoded).ok());
      // The encoded form lacks kind and apiVersion inside a StatefulSet's claims.
      json::Value again = json::Parse(decoded).value_or(json::Value());
      json::Value direct = internal::ProtobufToValue(*message, *bytes, "K", "v").OrExit();
      EXPECT_EQ(direct["kind"].StringOrEmpty() + direct["apiVersion"].StringOrEmpty(), "Kv");
      for (const char* name : {"kind", "apiVersion"}) direct.Erase(name);
      EXPECT_EQ(Difference(direct.Dump(), again.Dump()), "");
      ASSERT_TRUE(defaults.Apply(*message, kind, again).ok());
      EXPECT_EQ(Difference(once.Dump(), again.Dump()), "");
    }
    ++kinds;
  }
  EXPECT_GE(kinds, 60);
}

// Calls `visit` for every value in `value`, including the root. `visit` may change the value, which
// is restored afterwards.
template <class F>
void ForEachValue(json::Value& value, const F& visit) {
  visit(value);
  if (json::Object* members = value.IfObject()) {
    for (std::size_t i = 0; i < members->size(); ++i) ForEachValue(members->value(i), visit);
  } else if (json::Array* items = value.IfArray()) {
    for (json::Value& item : *items) ForEachValue(item, visit);
  }
}

// The decoder must accept all values that Fits accepts, without errors or unknown fields. Fits may
// reject valid values; these are then decoded.
TEST(Defaults, FittingValues_AreDecodedWithoutProblems) {
  const std::vector<json::Value> others = {nullptr,
                                           true,
                                           7,
                                           std::int64_t{1} << 40,
                                           1.5,
                                           "text",
                                           "1Gi",
                                           "2026-01-02T03:04:05Z",
                                           "3s",
                                           json::Value::MakeArray(),
                                           json::Value::MakeArray({1}),
                                           json::Value::MakeObject(),
                                           json::Value::MakeObject({{"other", "x"}}),
                                           json::Value::MakeObject({{"kind", "x"}})};
  Defaults defaults;
  for (const char* kind : {"Pod", "Secret", "Event", "Service"}) {
    const MessageDescriptor& message = *internal::FindType("", "v1", kind)->message;
    const std::string name = std::string("v1 ") + kind;
    json::Value object = Full(message, 3);
    object.Set("kind", kind);
    EXPECT_TRUE(defaults.Fits(message, name, object)) << kind;
    int fitting = 0;
    int tried = 0;
    ForEachValue(object, [&](json::Value& value) {
      for (const json::Value& other : others) {
        json::Value kept = std::exchange(value, other);
        const bool fits = defaults.Fits(message, name, object);
        if (++tried % 7 == 0 || fits) {
          internal::FieldProblems problems;
          const auto typed = internal::JsonToProtobuf(message, object.Dump(), &problems);
          const bool taken = typed.ok() && problems.unknown.empty();
          EXPECT_FALSE(fits && !taken) << object.Dump();
        }
        fitting += fits ? 1 : 0;
        value = std::move(kept);
      }
    });
    EXPECT_GT(fitting, 20) << kind;
  }
}

TEST(Defaults, WrongTypesAreNamed) {
  Defaults defaults;
  json::Value pod = *json::Parse(R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":{}}})");
  const auto result = defaults.Apply(*MessageOf(pod), "v1 Pod", pod);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message().find("containers"), std::string::npos)
      << result.error().message();
}

TEST(Defaults, UnusualFormsBecomeUsual) {
  Defaults defaults;
  json::Value event = *json::Parse(
      R"({"apiVersion":"v1","kind":"Event","lastTimestamp":"2026-01-02T05:04:05.7+02:00",)"
      R"("firstTimestamp":"0001-01-01T00:00:00Z"})");
  ASSERT_TRUE(defaults.Apply(*MessageOf(event), "v1 Event", event).ok());
  EXPECT_EQ(event["lastTimestamp"].StringOrEmpty(), "2026-01-02T03:04:05Z");
  EXPECT_TRUE(event["firstTimestamp"].is_null());
}

TEST(Defaults, ImagesThatMeanLatest) {
  for (const char* image :
       {"a", "a:latest", "r:5000/b/a", "r:5000/a:latest", "a:latest@sha256:0000"}) {
    EXPECT_TRUE(IsLatestImage(image)) << image;
  }
  for (const char* image : {"", "a:1", "r:5000/a:1", "a@sha256:0000", "a:1@sha256:0000"}) {
    EXPECT_FALSE(IsLatestImage(image)) << image;
  }
}

class PreparationTest : public ::testing::Test {
 protected:
  json::Value Create(std::string_view path, std::string_view body) {
    return server_.Do("POST", std::string(path), std::string(body)).Json();
  }
  json::Value CreateService(std::string_view name, std::string_view spec) {
    return Create(kServices, R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":)" +
                                 std::string(spec) + "}");
  }

  static constexpr std::string_view kServices = "/api/v1/namespaces/default/services";
  static constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
  // Required fields are not checked, so the objects of these tests can be short.
  TestServer server_{{.validation = false}};
};

TEST_F(PreparationTest, PodsGetPhaseClassPriorityAndTolerations) {
  const json::Value pod =
      Create(kPods, R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}]}})");
  EXPECT_EQ(pod.At("/status").Dump(), R"({"phase":"Pending","qosClass":"BestEffort"})");
  EXPECT_EQ(pod.At("/spec/priority").AsInt64(), 0);
  EXPECT_EQ(pod.At("/spec/preemptionPolicy").StringOrEmpty(), "PreemptLowerPriority");
  EXPECT_EQ(pod.At("/spec/tolerations").size(), 2U);
  EXPECT_EQ(pod.At("/spec/tolerations/0/tolerationSeconds").AsInt64(), 300);
  const auto qos = [&](std::string_view name, std::string_view resources) {
    return Create(kPods, R"({"metadata":{"name":")" + std::string(name) +
                             R"("},"spec":{"containers":[{"name":"c","resources":)" +
                             std::string(resources) + "}]}}")
        .At("/status/qosClass")
        .StringOrEmpty();
  };
  EXPECT_EQ(qos("b", R"({"limits":{"cpu":"1","memory":"1Gi"}})"), "Guaranteed");
  EXPECT_EQ(qos("c", R"({"limits":{"cpu":"1"}})"), "Burstable");
  EXPECT_EQ(qos("d", R"({"limits":{"cpu":"1000m","memory":"1Gi"},"requests":{"cpu":1}})"),
            "Guaranteed");
  EXPECT_EQ(qos("e", R"({"limits":{"cpu":"1","memory":"2Gi"},"requests":{"memory":"1Gi"}})"),
            "Burstable");
}

TEST_F(PreparationTest, PriorityComesFromItsClass) {
  Create("/apis/scheduling.k8s.io/v1/priorityclasses",
         R"({"metadata":{"name":"high"},"value":1000,"preemptionPolicy":"Never"})");
  const json::Value pod = Create(
      kPods, R"({"metadata":{"name":"a"},"spec":{"priorityClassName":"high","containers":[]}})");
  EXPECT_EQ(pod.At("/spec/priority").AsInt64(), 1000);
  EXPECT_EQ(pod.At("/spec/preemptionPolicy").StringOrEmpty(), "Never");
  const json::Value none = Create(
      kPods, R"({"metadata":{"name":"b"},"spec":{"priorityClassName":"low","containers":[]}})");
  EXPECT_EQ(none["message"].StringOrEmpty(),
            "pods \"b\" is forbidden: no PriorityClass with name low was found");
}

TEST_F(PreparationTest, ServicesGetAddresses) {
  const json::Value a = CreateService("a", R"({"ports":[{"port":80}]})");
  const std::string address = a.At("/spec/clusterIP").StringOrEmpty();
  EXPECT_EQ(address.rfind("10.96.0.", 0), 0U) << address;
  EXPECT_EQ(a.At("/spec/clusterIPs/0").StringOrEmpty(), address);
  EXPECT_EQ(a.At("/spec/ipFamilies").Dump(), R"(["IPv4"])");
  EXPECT_EQ(a.At("/spec/ipFamilyPolicy").StringOrEmpty(), "SingleStack");
  EXPECT_NE(CreateService("b", R"({"ports":[{"port":80}]})").At("/spec/clusterIP").StringOrEmpty(),
            address);
  const json::Value headless = CreateService("c", R"({"clusterIP":"None","selector":{"a":"b"}})");
  EXPECT_EQ(headless.At("/spec/clusterIPs").Dump(), R"(["None"])");
  const json::Value external =
      CreateService("d", R"({"type":"ExternalName","externalName":"a.b"})");
  EXPECT_TRUE(external.At("/spec/clusterIP").is_null());
  EXPECT_TRUE(external.At("/spec/ipFamilies").is_null());
  EXPECT_EQ(CreateService("e", R"({"clusterIP":")" + address + "\"}")["message"].StringOrEmpty(),
            "Service \"e\" is invalid: spec.clusterIPs: Invalid value: [\"" + address +
                "\"]: failed to allocate IP " + address + ": provided IP is already allocated");
  // A deleted Service releases its address.
  server_.Do("DELETE", std::string(kServices) + "/a");
  EXPECT_EQ(CreateService("e", R"({"clusterIP":")" + address + "\"}")
                .At("/spec/clusterIP")
                .StringOrEmpty(),
            address);
}

TEST_F(PreparationTest, FamiliesOfServicesFollowTheirPolicy) {
  const auto update = [this](const char* name, const char* spec) {
    return server_
        .Do("PUT", std::string(kServices) + "/" + name,
            std::string(R"({"metadata":{"name":")") + name + R"("},"spec":)" + spec + "}")
        .Json();
  };
  const auto families = [](const json::Value& service) {
    return service.At("/spec/ipFamilyPolicy").StringOrEmpty() + " " +
           service.At("/spec/ipFamilies").Dump();
  };
  const std::string both = R"(RequireDualStack ["IPv4","IPv6"])";
  EXPECT_EQ(families(CreateService("a", R"({"clusterIP":"None"})")), both);
  // The policy is kept, and the families are set again.
  EXPECT_EQ(families(update("a", R"({"clusterIP":"None"})")), both);
  EXPECT_EQ(update("a", R"({"clusterIP":"None","ipFamilies":["IPv4"]})")["message"].StringOrEmpty(),
            "Service \"a\" is invalid: spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": "
            "must be 'SingleStack' to release the secondary IP family");
  const std::string here = "this cluster is not configured for dual-stack services";
  EXPECT_EQ(update("a", R"({"selector":{"a":"b"}})")["message"].StringOrEmpty(),
            "Service \"a\" is invalid: spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": " +
                here);
  EXPECT_EQ(
      update("a", R"({"selector":{"a":"b"},"ipFamilies":["IPv4","IPv6"]})")["message"]
          .StringOrEmpty(),
      "Service \"a\" is invalid: [spec.ipFamilyPolicy: Invalid value: \"RequireDualStack\": " +
          here + ", spec.ipFamilies[1]: Invalid value: \"IPv6\": not configured on this cluster]");
  EXPECT_EQ(families(update("a", R"({"clusterIP":"None","ipFamilyPolicy":"SingleStack",
                                     "ipFamilies":["IPv4","IPv6"]})")),
            R"(SingleStack ["IPv4"])");
  EXPECT_EQ(
      CreateService("b",
                    R"({"ipFamilyPolicy":"SingleStack","ipFamilies":["IPv4","IPv6"]})")["message"]
          .StringOrEmpty(),
      "Service \"b\" is invalid: spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be "
      "'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified");
}

TEST_F(PreparationTest, ServicesKeepWhatTheyWereGiven) {
  const json::Value a = CreateService("a", R"({"type":"NodePort","ports":[{"port":80}]})");
  const auto port = a.At("/spec/ports/0/nodePort").AsInt64();
  EXPECT_GE(port.value_or(0), 30000);
  const auto put = [&](std::string_view spec) {
    return server_
        .Do("PUT", std::string(kServices) + "/a",
            R"({"metadata":{"name":"a"},"spec":)" + std::string(spec) + "}")
        .Json();
  };
  const json::Value again = put(R"({"type":"NodePort","ports":[{"port":80}]})");
  EXPECT_EQ(again.At("/spec").Dump({.sort_keys = true}), a.At("/spec").Dump({.sort_keys = true}));
  EXPECT_EQ(again.At("/metadata/resourceVersion"), a.At("/metadata/resourceVersion"));
  EXPECT_EQ(put(R"({"clusterIP":"10.96.9.9","ports":[{"port":80}]})")["message"].StringOrEmpty(),
            "Service \"a\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.96.9.9\"]: may not "
            "change once set");
  const json::Value plain = put(R"({"ports":[{"port":80}]})");
  EXPECT_TRUE(plain.At("/spec/ports/0/nodePort").is_null());
  EXPECT_EQ(plain.At("/spec/clusterIP"), a.At("/spec/clusterIP"));
}

TEST_F(PreparationTest, PodsKeepWhatTheyWereGiven) {
  const std::string body =
      R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}]}})";
  const json::Value pod = Create(kPods, body);
  const json::Value again = server_.Do("PUT", std::string(kPods) + "/a", body).Json();
  EXPECT_EQ(pod.At("/metadata").Dump(), again.At("/metadata").Dump());
  EXPECT_EQ(again.At("/spec/priority").AsInt64(), 0);
}

TEST_F(PreparationTest, OnlyLoadBalancersHaveIngress) {
  CreateService("a", R"({"type":"LoadBalancer","ports":[{"port":80}]})");
  const auto patch = [&](std::string_view path, std::string_view body) {
    return server_
        .Do("PATCH", std::string(kServices).append("/").append(path), std::string(body),
            {{"Content-Type", "application/merge-patch+json"}})
        .Json();
  };
  constexpr std::string_view kStatus =
      R"({"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}})";
  EXPECT_EQ(patch("a/status", kStatus).At("/status/loadBalancer/ingress/0/ipMode").StringOrEmpty(),
            "VIP");
  const json::Value plain = patch("a", R"({"spec":{"type":"ClusterIP"}})");
  EXPECT_EQ(plain.At("/status").Dump(), R"({"loadBalancer":{}})");
  EXPECT_EQ(patch("a/status", kStatus)["message"].StringOrEmpty(),
            "Service \"a\" is invalid: status.loadBalancer.ingress: Forbidden: may only be used "
            "when `spec.type` is 'LoadBalancer'");
}

TEST_F(PreparationTest, JobsSelectTheirPods) {
  const json::Value job =
      Create("/apis/batch/v1/namespaces/default/jobs",
             R"({"metadata":{"name":"a"},"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}})");
  const std::string uid = job.At("/metadata/uid").StringOrEmpty();
  EXPECT_EQ(job.At("/spec/selector").Dump(),
            R"({"matchLabels":{"batch.kubernetes.io/controller-uid":")" + uid + R"("}})");
  EXPECT_EQ(job.At("/spec/template/metadata/labels").Dump(),
            R"({"batch.kubernetes.io/controller-uid":")" + uid +
                R"(","batch.kubernetes.io/job-name":"a","controller-uid":")" + uid +
                R"(","job-name":"a","x":"y"})");
  EXPECT_EQ(job.At("/metadata/labels").Dump(), R"({"x":"y"})");
}

// A controller that writes its desired object and compares it with the result must come to rest.
TEST_F(PreparationTest, WritingTheSameAgainChangesNothing) {
  const std::string path = "/apis/apps/v1/namespaces/default/deployments";
  const std::string body =
      R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},)"
      R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",)"
      R"("image":"i","resources":{"limits":{"cpu":"0.5","memory":"1024Mi"}}}]}}}})";
  const json::Value made = Create(path, body);
  const json::Value again = server_.Do("PUT", path + "/a", body).Json();
  EXPECT_EQ(made.At("/metadata/resourceVersion"), again.At("/metadata/resourceVersion"));
  EXPECT_EQ(made.At("/spec/template/spec/containers/0/resources/limits").Dump(),
            R"({"cpu":"500m","memory":"1Gi"})");
}

TEST(BuiltinStrategy, WithoutDefaultingObjectsStayAsTheyAre) {
  TestServer server({.validation = false, .defaulting = false});
  const json::Value pod = server
                              .Do("POST", "/api/v1/namespaces/default/pods",
                                  R"({"metadata":{"name":"a"},"spec":{"containers":[]}})")
                              .Json();
  EXPECT_EQ(pod["spec"].Dump(), R"({"containers":[]})");
}

TEST(BuiltinStrategy, PodsGetWhatTheirRuntimeClassSays) {
  TestServer server;
  const auto create = [&](std::string_view path, std::string_view body) {
    return server.Do("POST", std::string(path), std::string(body));
  };
  constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
  const auto pod = [](std::string_view name, std::string_view more) {
    return R"({"metadata":{"name":")" + std::string(name) +
           R"("},"spec":{"containers":[{"name":"c","image":"i"}],)" + std::string(more) + "}}";
  };
  EXPECT_EQ(create(kPods, pod("a", R"("overhead":{"cpu":"1"})")).status, 403);
  EXPECT_EQ(create(kPods, pod("a", R"("overhead":{"cpu":"1"},"restartPolicy":"x")")).status, 422)
      << "only a valid pod is forbidden";
  const Reply missing = create(kPods, pod("a", R"("runtimeClassName":"r")"));
  EXPECT_EQ(missing.status, 403);
  EXPECT_EQ(missing.Json()["message"].StringOrEmpty(),
            R"(pods "a" is forbidden: pod rejected: RuntimeClass "r" not found)");
  create("/apis/node.k8s.io/v1/runtimeclasses",
         R"({"metadata":{"name":"r"},"handler":"h","overhead":{"podFixed":{"cpu":"1000m"}},)"
         R"("scheduling":{"nodeSelector":{"a":"b"},)"
         R"("tolerations":[{"key":"k","operator":"Exists"}]}})");
  const json::Value made =
      create(kPods, pod("a", R"("runtimeClassName":"r","nodeSelector":{"z":"y"})")).Json();
  EXPECT_EQ(made.At("/spec/overhead").Dump(), R"({"cpu":"1"})");
  EXPECT_EQ(made.At("/spec/nodeSelector").Dump(), R"({"a":"b","z":"y"})");
  EXPECT_EQ(made.At("/spec/tolerations").size(), 3U);
  EXPECT_EQ(create(kPods, pod("b", R"("runtimeClassName":"r","overhead":{"cpu":"2"})"))
                .Json()["message"]
                .StringOrEmpty(),
            "pods \"b\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's "
            "defined Overhead");
  EXPECT_EQ(create(kPods, pod("b", R"("runtimeClassName":"r","nodeSelector":{"a":"c"})"))
                .Json()["message"]
                .StringOrEmpty(),
            "pods \"b\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[a] = b; "
            "pod.spec.nodeSelector[a] = c");
}

// ---- Required fields (server_checks.txt has the answers of real servers)

TEST(RequiredFields, AreRequiredOfRequestsOnly) {
  TestServer server;
  const GroupVersionResource pods{.version = "v1", .resource = "pods"};
  constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
  const auto bare = json::Parse(R"({"metadata":{"name":"a","namespace":"default"}})");
  ASSERT_TRUE(server.server().Create(pods, *bare).ok());
  EXPECT_EQ(server.Do("POST", kPods, R"({"metadata":{"name":"b"}})").status, 422);
  // A required field that was missing before may stay missing.
  const HeaderList merge{{"Content-Type", "application/merge-patch+json"}};
  EXPECT_EQ(server
                .Do("PATCH", "/api/v1/namespaces/default/pods/a",
                    R"({"metadata":{"labels":{"l":"m"}}})", merge)
                .status,
            200);
  const GroupVersionResource services{.version = "v1", .resource = "services"};
  ASSERT_TRUE(server.server().Create(services, *bare).ok());
  const Reply worse = server.Do("PATCH", "/api/v1/namespaces/default/services/a",
                                R"({"spec":{"type":"ExternalName"}})", merge);
  EXPECT_EQ(worse.status, 422);
  EXPECT_EQ(worse.Json().At("/details/causes").size(), 1U) << worse.body;
}

TEST(RequiredFields, OptionOff_AreNotChecked) {
  TestServer server({.validation = false});
  EXPECT_EQ(
      server.Do("POST", "/api/v1/namespaces/default/pods", R"({"metadata":{"name":"a"}})").status,
      201);
}

TEST(RequiredFields, Errors_NamePathsInsideListsAndBesideTheirCause) {
  TestServer server;
  const json::Value node =
      server
          .Do("POST", "/api/v1/nodes",
              R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"},)"
              R"({"key":"l"}]}})")
          .Json();
  EXPECT_EQ(node["message"].StringOrEmpty(),
            R"(Node "a" is invalid: metadata.taints[1].effect: Required value)");
  const json::Value pod =
      server
          .Do("POST", "/api/v1/namespaces/default/pods",
              R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}],)"
              R"("volumes":[{"name":"v","downwardAPI":{"items":[{"fieldRef":{"fieldPath":)"
              R"("metadata.name"}}]}}]}})")
          .Json();
  EXPECT_EQ(pod["message"].StringOrEmpty(),
            R"(Pod "a" is invalid: spec.volumes[0].downwardAPI.path: Required value)");
}

// apimachinery's parser decides by the form of the text: it keeps most quantities that are not
// canonical, and rewrites the others.
TEST(Quantities, Text_IsKeptOrRewrittenAsOnARealServer) {
  TestServer server;
  int count = 0;
  const auto shown = [&](const std::string& text, const std::string& field) {
    const Reply reply = server.Do("POST", "/api/v1/namespaces/default/resourcequotas",
                                  R"({"metadata":{"name":"q)" + std::to_string(count++) +
                                      R"("},"spec":{"hard":{")" + field + "\":\"" + text + "\"}}}");
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.Json().At("/spec/hard/" + field).StringOrEmpty();
  };
  for (const char* repeated : {"1.001", "1E3", "007", "+2", "1500m", "1001Gi", "1e3", "0"}) {
    EXPECT_EQ(shown(repeated, "cpu"), repeated);
  }
  for (const auto& [text, canonical] :
       std::vector<std::pair<const char*, const char*>>{{"1000m", "1"},
                                                        {"1.5", "1500m"},
                                                        {"1024Mi", "1Gi"},
                                                        {"100000", "100k"},
                                                        {"0.5", "500m"},
                                                        {"1.0001", "1001m"},
                                                        {"1E4", "10e3"},
                                                        {"0Ki", "0"},
                                                        {"00", "0"},
                                                        {"1.5Gi", "1536Mi"}}) {
    EXPECT_EQ(shown(text, "memory"), canonical) << text;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
