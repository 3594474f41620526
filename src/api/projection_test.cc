// Effect of projections and of other build options on an object, in protobuf and in JSON.

#include "kinformer/object/projection.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/resourcev1.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/json/json.h"
#include "kinformer/object/fields.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/unstructured.h"

#include "object/transcode/block_text.h"
#include "object/transcode/transcode.h"
#include "wire/protobuf_writer.h"

namespace kinformer {
namespace {

using internal::BuildFromJson;
using internal::BuildFromProtobuf;
using internal::ObjectRef;
using testing::HasSubstr;
using Paths = std::vector<std::string>;

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","namespace":"default",)"
    R"("uid":"u1","resourceVersion":"7",)"
    R"("annotations":{"note":"long","a.b/c":"x"},"labels":{"app":"web"},)"
    R"("managedFields":[{"manager":"m","operation":"Apply",)"
    R"("fieldsType":"FieldsV1","fieldsV1":{"f:spec":{}}}]},)"
    R"("spec":{"volumes":[{"name":"config","configMap":{"name":"settings"}}],)"
    R"("containers":[{"name":"a","image":"web:1","livenessProbe":{"httpGet":{"path":"/",)"
    R"("port":80},"periodSeconds":5}},)"
    R"({"name":"b","image":"web:2"}],"nodeName":"node-7","nodeSelector":{"disk":"ssd",)"
    R"("a.b/zone":"z"}},)"
    R"("status":{"phase":"Running","podIP":"10.0.0.1","conditions":[{"type":"Ready",)"
    R"("status":"True"}]}})";

const KindInfo& DynamicPod() { return *internal::DynamicKindInfo("", "v1", "Pod", "pods", true); }

std::string Message() {
  return internal::JsonToProtobuf(*corev1::Pod::kind_info().message, kPod).OrExit();
}

ObjectRef Build(const KindInfo& type, const EntryOptions& entry) {
  const internal::BuildOptions options = internal::BuildOptionsOf(entry);
  const bool json = type.encoding() == internal::Encoding::kJson;
  return (json ? BuildFromJson(type, kPod, options) : BuildFromProtobuf(type, Message(), options))
      .OrExit();
}

struct Case {
  bool keep;
  Paths paths;
  std::string left;  // besides kind and apiVersion, and with Keep the metadata
};

class Projections : public testing::TestWithParam<Case> {};

json::Value Left(const KindInfo& type, const Case& c) {
  const Projection projection =
      (c.keep ? Projection::Keep(c.paths) : Projection::Drop(c.paths)).OrExit();
  const ObjectRef object = Build(type, {.projection = projection});
  EXPECT_TRUE(object->partial());
  EXPECT_EQ(object->name(), "web-0");
  EXPECT_EQ(object->resourceVersion(), "7");
  json::Value value = json::Parse(internal::BlockToJson(*object)).OrExit();
  value.Erase("kind");
  value.Erase("apiVersion");
  if (c.keep) {
    EXPECT_EQ(value.At("/metadata/managedFields/0/manager").StringOrEmpty(), "m");
    value.Erase("metadata");
  }
  return value;
}

// Returns the JSON as Go writes it, with zero values for missing fields.
json::Value AsGoWrites(const json::Value& left, bool keep) {
  json::Value whole = left;
  if (keep) whole.Ensure("metadata", "name") = "any";
  const ObjectRef object = BuildFromJson(corev1::Pod::kind_info(), whole.Dump()).OrExit();
  json::Value value = json::Parse(internal::BlockToJson(*object)).OrExit();
  value.Erase("kind");
  value.Erase("apiVersion");
  if (keep) value.Erase("metadata");
  return value;
}

TEST_P(Projections, ProtobufPod_KeepsProjectedFieldsAlone) {
  EXPECT_EQ(Left(corev1::Pod::kind_info(), GetParam()),
            AsGoWrites(json::Parse(GetParam().left).OrExit(), GetParam().keep));
}

TEST_P(Projections, JsonPod_KeepsProjectedFieldsAlone) {
  EXPECT_EQ(Left(DynamicPod(), GetParam()), json::Parse(GetParam().left).OrExit());
}

INSTANTIATE_TEST_SUITE_P(
    Keep, Projections,
    testing::Values(
        Case{true, {"spec.nodeName"}, R"({"spec":{"nodeName":"node-7"}})"},
        Case{true,
             {"spec.containers.image"},
             R"({"spec":{"containers":[{"image":"web:1"},{"image":"web:2"}]}})"},
        // Fields that Go inlines are members of the probe itself.
        Case{true,
             {"spec.containers.livenessProbe.httpGet.port"},
             R"({"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":80}}},{}]}})"},
        Case{true,
             {R"(spec.nodeSelector["a.b/zone"])"},
             R"({"spec":{"nodeSelector":{"a.b/zone":"z"}}})"},
        Case{true,
             {"status", "status.phase"},
             R"({"status":{"phase":"Running","podIP":"10.0.0.1",)"
             R"("conditions":[{"type":"Ready","status":"True"}]}})"},
        Case{true,
             {"status.podIP", "status.phase"},
             R"({"status":{"phase":"Running","podIP":"10.0.0.1"}})"},
        Case{true, {"spec.nodeName.more"}, R"({"spec":{"nodeName":"node-7"}})"}));

INSTANTIATE_TEST_SUITE_P(
    Drop, Projections,
    testing::Values(Case{
        false,
        {"spec.volumes", "spec.containers", "spec.nodeSelector.disk", "status",
         "metadata.managedFields", R"(metadata.annotations["a.b/c"])"},
        R"({"metadata":{"name":"web-0","namespace":"default","uid":"u1","resourceVersion":"7",)"
        R"("annotations":{"note":"long"},"labels":{"app":"web"}},)"
        R"("spec":{"nodeName":"node-7","nodeSelector":{"a.b/zone":"z"}}})"}));

TEST(Projection, EmptyKeepList_LeavesMetadataOnly) {
  // An empty list of paths keeps only the metadata.
  const Projection none = Projection::Keep<corev1::Pod>(Paths{}).OrExit();
  for (const KindInfo* type : {&corev1::Pod::kind_info(), &DynamicPod()}) {
    const ObjectRef object = Build(*type, {.drop_managed_fields = true, .projection = none});
    const json::Value value = json::Parse(internal::BlockToJson(*object)).OrExit();
    EXPECT_EQ(value["spec"]["nodeName"].StringOrEmpty(), "");
    EXPECT_EQ(value.At("/metadata/labels/app").StringOrEmpty(), "web");
    EXPECT_EQ(value.At("/metadata/managedFields/0/manager").StringOrEmpty(), "");
  }
}

TEST(Projection, ManagedFieldsDroppedOnBytes) {
  for (const KindInfo* type : {&corev1::Pod::kind_info(), &DynamicPod()}) {
    const ObjectRef all = Build(*type, {});
    const ObjectRef dropped = Build(*type, {.drop_managed_fields = true});
    EXPECT_FALSE(dropped->partial());
    EXPECT_LT(dropped->allocated_bytes(), all->allocated_bytes());
    json::Value expected = json::Parse(internal::BlockToJson(*all)).OrExit();
    ASSERT_TRUE(expected.Ensure("metadata").Erase("managedFields"));
    EXPECT_EQ(json::Parse(internal::BlockToJson(*dropped)).OrExit(), expected);
    // The same result from a projection, and from building the whole object a second time.
    const Projection drop = Projection::Drop({"metadata.managedFields"}).OrExit();
    EXPECT_TRUE(Build(*type, {.projection = drop})->SameAs(*dropped));
    EXPECT_TRUE(
        internal::RebuildBlock(*all, {.drop_managed_fields = true}).OrExit()->SameAs(*dropped));
  }
}

TEST(Projection, PartialMarkIsInherited) {
  const Projection projection = Projection::Keep<corev1::Pod>({"spec.nodeName"}).OrExit();
  const Ref<corev1::Pod> part(Build(corev1::Pod::kind_info(), {.projection = projection}));
  EXPECT_EQ(part->spec().nodeName(), "node-7");
  EXPECT_EQ(part->spec().containers().size(), 0U);
  EXPECT_TRUE(part->DeepCopy().is_partial);
  const Ref<corev1::Pod> whole(Build(corev1::Pod::kind_info(), {}));
  EXPECT_FALSE(whole->DeepCopy().is_partial);
}

TEST(Projection, InvalidPath_ErrorSaysWhatIsWrong) {
  const auto wrong = [](const Result<Projection>& made) {
    return made ? "" : made.error().message();
  };
  EXPECT_EQ(wrong(Projection::Keep({"spec.containers[0].name"})),
            "projection: path \"spec.containers[0].name\": lists need no brackets: a path goes "
            "into all elements of a list; "
            "names with dots are written [\"a.b\"]");
  EXPECT_THAT(wrong(Projection::Keep({""})), HasSubstr("it is empty"));
  EXPECT_THAT(wrong(Projection::Keep({"spec."})), HasSubstr("ends with a dot"));
  EXPECT_THAT(wrong(Projection::Keep({".spec"})), HasSubstr("a name is missing"));
  EXPECT_THAT(wrong(Projection::Keep({"spec[\"x"})), HasSubstr("without a name"));
  for (const char* path : {"metadata", "metadata.name", "metadata.uid", "kind"}) {
    EXPECT_THAT(wrong(Projection::Drop({path})), HasSubstr("identifies an object"));
  }
  EXPECT_EQ(wrong(Projection::Keep<corev1::Pod>({"spec.nodename"})),
            "projection: path \"spec.nodename\": there is no field \"nodename\" in "
            "k8s.io.api.core.v1.PodSpec; paths are made of "
            "JSON names");
  EXPECT_THAT(wrong(Projection::Keep<corev1::Pod>({"spec.nodeName.x"})),
              HasSubstr("no fields of its own"));
  using resourcev1::ResourceSlice;
  EXPECT_EQ(wrong(Projection::Keep<ResourceSlice>({"spec.devices.attributes.model.string"})), "");
  EXPECT_THAT(wrong(Projection::Keep<ResourceSlice>({"spec.devices.attributes.model.text"})),
              HasSubstr("path \"spec.devices.attributes[\"model\"].text\": there is no field"));
  EXPECT_THAT(wrong(Projection::Keep<corev1::Pod>({"spec.nodeSelector.zone.x"})),
              HasSubstr("the values of this map have no fields"));
  EXPECT_EQ(wrong(Projection::Drop<corev1::Pod>({"spec.nodeSelector.x",
                                                 "spec.containers.livenessProbe.httpGet",
                                                 "metadata.annotations"})),
            "");
}

TEST(Projection, TextAndEquality) {
  const Projection a = Projection::Keep({"status.phase", "spec.nodeName"}).OrExit();
  EXPECT_EQ(a.ToString(), "keep spec.nodeName, status.phase");
  EXPECT_EQ(a, Projection::Keep({"spec.nodeName", "status.phase", "spec.nodeName"}).OrExit());
  EXPECT_NE(a, Projection::Drop({"spec.nodeName", "status.phase"}).OrExit());
  EXPECT_NE(a, Projection());
  EXPECT_EQ((EntryOptions{.drop_managed_fields = true, .projection = a}.Kept()),
            "without managedFields, keep spec.nodeName, status.phase");
}

struct Port {
  std::int64_t containerPort = 0;
  std::vector<Port> more;  // recursive, so it is kept whole
  static constexpr auto kFields =
      std::tuple(Field("containerPort", &Port::containerPort), Field("more", &Port::more));
};
struct Container {
  std::string image;
  std::vector<Port> ports;
  static constexpr auto kFields =
      std::tuple(Field("image", &Container::image), Field("ports", &Container::ports));
};
struct Spec {
  std::string nodeName;
  std::vector<Container> containers;
  std::map<std::string, std::string> nodeSelector;
  static constexpr auto kFields =
      std::tuple(Field("nodeName", &Spec::nodeName), Field("containers", &Spec::containers),
                 Field("nodeSelector", &Spec::nodeSelector));
};
struct Status {
  std::string phase;
  UnknownFields unknown;
  static constexpr auto kFields =
      std::tuple(Field("phase", &Status::phase), Field(&Status::unknown));
};
struct Slim {
  Spec spec;
  std::optional<Status> status;
  static constexpr auto kFields =
      std::tuple(Field("spec", &Slim::spec), Field("status", &Slim::status));
};

TEST(Projection, ProjectionForStruct_KeepsItsMembers) {
  EXPECT_EQ(Projection::For<Slim>(),
            Projection::Keep({R"(["spec"]["nodeName"])", R"(["spec"]["containers"]["image"])",
                              R"(["spec"]["containers"]["ports"]["containerPort"])",
                              R"(["spec"]["containers"]["ports"]["more"])",
                              R"(["spec"]["nodeSelector"])", R"(["status"])"})
                .OrExit());
  EXPECT_TRUE(Projection::For<Slim>().CheckFor(DynamicPod()));
  EXPECT_TRUE(Projection::For<Status>().empty());
  const ObjectRef object = Build(DynamicPod(), {.projection = Projection::For<Slim>()});
  const json::Value left = json::Parse(internal::BlockToJson(*object)).OrExit();
  EXPECT_EQ(
      left["spec"],
      json::Parse(R"({"containers":[{"image":"web:1"},{"image":"web:2"}],"nodeName":"node-7",)"
                  R"("nodeSelector":{"disk":"ssd","a.b/zone":"z"}})")
          .OrExit());
  EXPECT_EQ(left["status"]["podIP"].StringOrEmpty(), "10.0.0.1");
}

TEST(Projection, DamageOnTheWayIsAnError) {
  const Projection projection = Projection::Keep({"spec.containers.image"}).OrExit();
  std::string message;
  wire::ProtobufWriter writer(message);
  writer.Nested(1, [](wire::ProtobufWriter& meta) { meta.BytesField(1, "x"); });
  writer.Nested(2, [](wire::ProtobufWriter& spec) { spec.BytesField(2, "\x0a\x09"); });
  const auto built =
      BuildFromProtobuf(corev1::Pod::kind_info(), message, {.projection = projection.tree()});
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().message(),
              HasSubstr("Pod: spec: containers: malformed protobuf field at byte 0 of 2"));
}

// ---- Validation::kFull

std::string Wrong(std::string_view message) {
  const auto built =
      BuildFromProtobuf(corev1::Pod::kind_info(), message, {.validation = Validation::kFull});
  return built ? "" : built.error().message();
}

TEST(FullValidation, NestedProtobufDamage_RefusedByFullValidationOnly) {
  EXPECT_EQ(Wrong(Message()), "");
  struct Damage {
    std::string containers;
    std::string message;
  };
  std::string wrong_type;
  wire::ProtobufWriter(wrong_type).VarintField(1, 7);
  std::string not_utf8;
  wire::ProtobufWriter(not_utf8).BytesField(2, "ok\xff");
  std::string env;
  wire::ProtobufWriter(env).Nested(7, [](wire::ProtobufWriter& e) { e.BytesField(3, "\x08"); });
  for (const Damage& damage :
       {Damage{"\x0a\x05x", "malformed protobuf field at byte 0 of 3"},
        Damage{wrong_type, "name: another wire type at byte 0 of 2"},
        Damage{not_utf8, "image: a text that is not UTF-8 at byte 0 of 5"},
        Damage{env, "env: valueFrom: malformed protobuf field at byte 0 of 1"}}) {
    std::string message;
    wire::ProtobufWriter writer(message);
    writer.Nested(1, [](wire::ProtobufWriter& meta) { meta.BytesField(1, "x"); });
    writer.Nested(2, [&](wire::ProtobufWriter& spec) { spec.BytesField(2, damage.containers); });
    EXPECT_THAT(Wrong(message), HasSubstr("Pod: spec: containers: " + damage.message));
    EXPECT_TRUE(BuildFromProtobuf(corev1::Pod::kind_info(), message));
  }
  // Fields of a newer server may have any content.
  std::string newer = Message();
  wire::ProtobufWriter(newer).BytesField(99, "\xff");
  EXPECT_EQ(Wrong(newer), "");
}

TEST(FullValidation, JsonDamage_RefusedEvenInDroppedManagedFields) {
  const auto wrong = [](std::string_view json) {
    const auto built = BuildFromJson(DynamicPod(), json, {.validation = Validation::kFull});
    return built ? "" : built.error().message();
  };
  EXPECT_EQ(wrong(kPod), "");
  EXPECT_THAT(wrong("{\"metadata\":{\"name\":\"a\xff\"}}"), HasSubstr("not UTF-8 at byte 22"));
  constexpr std::string_view kBroken =
      R"({"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:x":{} "f:y":{}}}]}})";
  EXPECT_TRUE(BuildFromJson(DynamicPod(), kBroken, {.drop_managed_fields = true}));
  EXPECT_THAT(wrong(kBroken), HasSubstr("fieldsV1"));
}

// ControllerRevision.data may be an object of any kind.
TEST(Projection, RawExtensionsAreNamedWhole) {
  const KindInfo& type = appsv1::ControllerRevision::kind_info();
  constexpr std::string_view kRevision =
      R"({"metadata":{"name":"r"},"data":{"spec":{"a":1,"b":2}},"revision":3})";
  const auto left = [&](const Projection& projection) {
    const Ref<appsv1::ControllerRevision> built(
        BuildFromJson(type, kRevision, {.projection = projection.tree()}).OrExit());
    return std::string(built->data().json());
  };
  EXPECT_EQ(left(Projection::Keep<appsv1::ControllerRevision>({"data"}).OrExit()),
            R"({"spec":{"a":1,"b":2}})");
  EXPECT_EQ(left(Projection::Drop<appsv1::ControllerRevision>({"data"}).OrExit()), "");
  for (const auto& into : {Projection::Keep<appsv1::ControllerRevision>({"data.spec.a"}),
                           Projection::Drop<appsv1::ControllerRevision>({"data.spec.a"})}) {
    ASSERT_FALSE(into);
    EXPECT_EQ(into.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(into.error().message(), HasSubstr("can only be named whole"));
  }
  // A path that was not checked against the kind keeps the field, with Keep and with Drop.
  EXPECT_EQ(left(Projection::Keep({"data.spec.a"}).OrExit()), R"({"spec":{"a":1,"b":2}})");
  EXPECT_EQ(left(Projection::Drop({"data.spec.a"}).OrExit()), R"({"spec":{"a":1,"b":2}})");
}

}  // namespace
}  // namespace kinformer
