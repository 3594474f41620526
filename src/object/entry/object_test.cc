// Blocks, views and values with the metadata types that this layer has descriptors for.

#include "kinformer/object/object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/object/int_or_string.h"
#include "kinformer/object/partial_object_metadata.h"
#include "kinformer/object/quantity.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {
namespace {

using internal::BuildFromJson;
using internal::BuildFromProtobuf;
using internal::ObjectRef;
using ::testing::HasSubstr;

const KindInfo& Widgets() {
  return *internal::DynamicKindInfo("example.com", "v1", "Widget", "widgets", true);
}
const KindInfo& PodMetadata() { return *internal::MetadataKindInfo("", "v1", "Pod", "pods", true); }

std::string Varint(std::size_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out += static_cast<char>(value);
}

std::string Field(std::size_t number, std::string_view bytes) {
  return (Varint(number << 3 | 2) + Varint(bytes.size())).append(bytes);
}

TEST(KindInfo, IsInterned) {
  EXPECT_EQ(&Widgets(), &Widgets());
  EXPECT_NE(&Widgets(), internal::DynamicKindInfo("example.com", "v2", "Widget", "widgets", true));
  EXPECT_EQ(Widgets().apiVersion(), "example.com/v1");
  EXPECT_EQ(Widgets().encoding(), internal::Encoding::kJson);
  EXPECT_EQ(PodMetadata().encoding(), internal::Encoding::kProtobuf);
}

TEST(Unstructured, ReadsByPathAndKeepsEverything) {
  const std::string json =
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"blue",)"
      R"("namespace":"default","uid":"u-1","resourceVersion":"7","labels":{"app":"web",)"
      R"("tier":"x"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p",)"
      R"("uid":"u","controller":true}]},"spec":{"size":7,"ratio":1.50,)"
      R"("big":12345678901234567890123,"note":"a \"quoted\" \u00e9","list":[1,"two",)"
      R"({"three":3}],"empty":{},"on":true,"none":null},"status":{"phase":"Ready"}})";
  const Result<ObjectRef> built = BuildFromJson(Widgets(), json);
  ASSERT_TRUE(built) << built.error();
  const Ref<Unstructured> ref(*built);
  const Unstructured widget = *ref;
  EXPECT_EQ((*built)->name(), "blue");
  EXPECT_EQ((*built)->namespace_(), "default");
  EXPECT_EQ((*built)->uid(), "u-1");
  EXPECT_EQ((*built)->resourceVersion(), "7");
  EXPECT_EQ(widget.metadata().labels()["app"], "web");
  EXPECT_EQ(widget.metadata().labels().size(), 2U);
  EXPECT_EQ(widget.metadata().labels().Find("absent"), std::nullopt);
  EXPECT_EQ(GetControllerOf(widget.metadata())->name(), "p");
  EXPECT_EQ(widget.kind(), "Widget");

  const json::View spec = widget.root()["spec"];
  EXPECT_EQ(spec["size"].AsInt64(), 7);
  EXPECT_EQ(spec["ratio"].AsDouble(), 1.5);
  EXPECT_EQ(spec["ratio"].AsInt64(), std::nullopt);
  EXPECT_EQ(spec["big"].raw(), "12345678901234567890123");
  EXPECT_EQ(spec["note"].AsString(), "a \"quoted\" \u00e9");
  EXPECT_EQ(spec["list"][1].AsString(), "two");
  EXPECT_EQ(spec["list"][2]["three"].AsInt64(), 3);
  EXPECT_EQ(spec["list"].size(), 3U);
  EXPECT_EQ(spec["empty"].size(), 0U);
  EXPECT_EQ(spec["on"].AsBool(), true);
  EXPECT_TRUE(spec["none"].exists());
  EXPECT_EQ(spec["none"].type(), json::Type::kNull);
  EXPECT_FALSE(spec["absent"]["deeper"][3].exists());
  std::vector<std::string> names;
  for (const auto [name, value] : widget.root().members()) names.emplace_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("spec", "status"));
  std::size_t items = 0;
  for ([[maybe_unused]] const json::View item : spec["list"].items()) ++items;
  EXPECT_EQ(items, 3U);

  const json::Value before = json::Parse(json).value();
  json::Value after = widget.DeepCopy();
  // The server always writes this field; the input did not have it.
  after.Ensure("metadata").EnsureObject().Erase("creationTimestamp");
  EXPECT_EQ(after, before) << after.Dump();
  EXPECT_THAT(widget.ToJson(), HasSubstr(R"("ratio":1.50,"big":12345678901234567890123)"));
  std::ostringstream line;
  line << widget;
  EXPECT_EQ(line.str(), "Widget default/blue");
}

TEST(Unstructured, ContentComparesHashesAndPrints) {
  const auto make = [](std::string_view json) {
    const Result<ObjectRef> built = BuildFromJson(Widgets(), json);
    EXPECT_TRUE(built) << built.error();
    return Ref<Unstructured>(*built);
  };
  const std::hash<Unstructured> hash;
  const Ref<Unstructured> a = make(R"({"metadata":{"name":"x"},"spec":{"a":1,"b":["y",null]}})");
  const Ref<Unstructured> b =
      make(R"({"spec": {"b": ["\u0079", null], "a": 1.0}, "metadata": {"name": "x"}})");
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(hash(*a), hash(*b));
  EXPECT_FALSE(a == b) << "a Ref is equal to a Ref of the same object";
  EXPECT_EQ(std::hash<Ref<Unstructured>>()(a), std::hash<Ref<Unstructured>>()(Ref(a)));
  for (const char* other : {R"({"metadata":{"name":"z"},"spec":{"a":1,"b":["y",null]}})",
                            R"({"metadata":{"name":"x"},"spec":{"a":1,"b":[null,"y"]}})",
                            R"({"metadata":{"name":"x"},"spec":{"a":2,"b":["y",null]}})"}) {
    const Ref<Unstructured> c = make(other);
    EXPECT_NE(*a, *c) << other;
    EXPECT_NE(hash(*a), hash(*c)) << other;
  }
  EXPECT_EQ(Unstructured(), Unstructured());
  EXPECT_NE(*a, Unstructured());
  EXPECT_EQ(a->ToYaml(),
            "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: x\nspec:\n  a: 1\n  b:\n "
            " - \"y\"\n  - null\n");
  static_assert(sizeof(Ref<Unstructured>) == 8);
}

TEST(Unstructured, MalformedJsonIsAnErrorThatSaysWhere) {
  for (const char* json : {"", "[]", "{", R"({"metadata":{"name":"x"},"spec":})", R"({"spec":{}})",
                           R"({"metadata":{"name":7}})"}) {
    const Result<ObjectRef> built = BuildFromJson(Widgets(), json);
    ASSERT_FALSE(built) << json;
    EXPECT_EQ(built.error().reason(), Reason::kDecode) << json;
    EXPECT_THAT(built.error().message(), HasSubstr("Widget")) << json;
  }
  EXPECT_EQ(BuildFromJson(Widgets(), R"({"metadata":{"name":"x"}})", {.max_object_bytes = 5})
                .error()
                .reason(),
            Reason::kOverLimit);
}

// When an object is built, only brackets and strings are checked deep inside it.
TEST(Unstructured, MalformedMembers_EndIterationAndAreCounted) {
  for (const char* spec : {R"({x":1"})", "{7:1}", R"({"a" 1})", R"({"a":,})", R"([:])"}) {
    const auto built = BuildFromJson(
        Widgets(), R"({"metadata":{"name":"x"},"spec":{"in":)" + std::string(spec) + "}}");
    ASSERT_TRUE(built) << spec << built.error();
    const std::uint64_t before = internal::MalformedReads();
    const json::View in = Unstructured(built->get()).root()["spec"]["in"];
    for (const auto& [name, value] : in.members()) ADD_FAILURE() << spec << ": " << name;
    for ([[maybe_unused]] const json::View value : in.items()) ADD_FAILURE() << spec;
    EXPECT_EQ(internal::MalformedReads(), before + 1) << spec;
  }
}

TEST(Block, MetadataOnlyFromProtobufInAnyOrder) {
  const std::string labels = Field(11, Field(1, "app") + Field(2, "web"));
  const std::string ordered =
      Field(1, "n") + Field(3, "ns") + Field(5, "u") + Field(6, "12") + labels;
  const std::string shuffled =
      labels + Field(6, "11") + Field(5, "u") + Field(3, "ns") + Field(6, "12") + Field(1, "n");
  const Result<ObjectRef> a = BuildFromProtobuf(PodMetadata(), Field(1, ordered));
  const Result<ObjectRef> b = BuildFromProtobuf(PodMetadata(), Field(1, shuffled));
  ASSERT_TRUE(a && b);
  EXPECT_TRUE((*a)->SameAs(**b));
  EXPECT_EQ((*b)->resourceVersion(), "12");
  EXPECT_EQ(metav1::PartialObjectMetadata((*b).get()).metadata().labels()["app"], "web");
  EXPECT_TRUE((*a)->partial());
  EXPECT_EQ(metav1::PartialObjectMetadata((*a).get()).kind(), "Pod");
}

// Either the message is in order and read in one pass, or it must be put in order first.
TEST(Block, EachKeyOfTheMetadataIsReadWhereItIs) {
  const std::string name = Field(1, "the-name");
  const std::string namespace_ = Field(3, "the-namespace");
  const std::string uid = Field(5, "the-uid");
  const std::string version = Field(6, "12345");
  for (unsigned absent = 0; absent < 16; ++absent) {
    const auto part = [&](unsigned bit, const std::string& field) {
      return (absent >> bit & 1U) != 0 ? std::string() : field;
    };
    const auto value = [&](unsigned bit, const char* text) {
      return (absent >> bit & 1U) != 0 ? std::string() : std::string(text);
    };
    const std::string ordered = part(0, name) + Field(2, "generate") + part(1, namespace_) +
                                part(2, uid) + part(3, version);
    const std::string shuffled = part(3, version) + part(2, uid) + part(1, namespace_) +
                                 Field(2, "generate") + part(0, name);
    for (const std::string& metadata : {ordered, shuffled}) {
      const ObjectRef object = BuildFromProtobuf(PodMetadata(), Field(1, metadata)).OrExit();
      EXPECT_EQ(object->name(), value(0, "the-name")) << absent;
      EXPECT_EQ(object->namespace_(), value(1, "the-namespace")) << absent;
      EXPECT_EQ(object->uid(), value(2, "the-uid")) << absent;
      EXPECT_EQ(object->resourceVersion(), value(3, "12345")) << absent;
    }
  }
}

TEST(Block, MetadataKeys_BeyondBoundsAreRefused) {
  const auto builds = [](const std::string& metadata) {
    return BuildFromProtobuf(PodMetadata(), Field(1, metadata)).ok();
  };
  for (const std::size_t number : std::initializer_list<std::size_t>{1, 3, 5, 6}) {
    EXPECT_TRUE(builds(Field(number, std::string(255, 'k')))) << number;
    EXPECT_FALSE(builds(Field(number, std::string(256, 'k')))) << number;
  }
  // The key must begin in the first 64 KiB, after the tag and length of both fields.
  EXPECT_TRUE(builds(Field(2, std::string(65'535 - 6, 'g')) + Field(6, "1")));
  EXPECT_FALSE(builds(Field(2, std::string(65'536 - 6, 'g')) + Field(6, "1")));
}

TEST(Block, ObjectsMayBeAsLargeAsTheLimit) {
  const std::string message = Field(1, Field(1, "n"));
  const std::string json = R"({"metadata":{"name":"n"}})";
  EXPECT_TRUE(BuildFromProtobuf(PodMetadata(), message, {.max_object_bytes = message.size()}));
  EXPECT_EQ(BuildFromProtobuf(PodMetadata(), message, {.max_object_bytes = message.size() - 1})
                .error()
                .reason(),
            Reason::kOverLimit);
  EXPECT_TRUE(BuildFromJson(Widgets(), json, {.max_object_bytes = json.size()}));
  EXPECT_FALSE(BuildFromJson(Widgets(), json, {.max_object_bytes = json.size() - 1}));
}

TEST(Block, ManagedFieldsAreDroppedOnTheBytes) {
  const std::string long_field = Field(17, Field(1, std::string(300, 'm')));
  const std::string with = Field(1, "n") + Field(6, "5") + long_field + long_field;
  const std::string without = Field(1, "n") + Field(6, "5");
  const Result<ObjectRef> dropped =
      BuildFromProtobuf(PodMetadata(), Field(1, with), {.drop_managed_fields = true});
  const Result<ObjectRef> plain = BuildFromProtobuf(PodMetadata(), Field(1, without));
  ASSERT_TRUE(dropped && plain);
  EXPECT_TRUE((*dropped)->SameAs(**plain));
  const Result<ObjectRef> kept = BuildFromProtobuf(PodMetadata(), Field(1, with));
  EXPECT_EQ(Object(kept->get()).metadata().managedFields().size(), 2U);
}

TEST(Block, MalformedProtobufIsAnErrorThatSaysWhere) {
  const std::string good = Field(1, Field(1, "n"));
  for (std::size_t cut = 1; cut < good.size(); ++cut) {
    const Result<ObjectRef> built = BuildFromProtobuf(PodMetadata(), good.substr(0, cut));
    ASSERT_FALSE(built) << cut;
    EXPECT_THAT(built.error().message(), HasSubstr("Pod: ")) << cut;
  }
  EXPECT_FALSE(BuildFromProtobuf(PodMetadata(), ""));
  EXPECT_FALSE(BuildFromProtobuf(PodMetadata(), Field(1, Field(1, std::string(300, 'x')))));
  EXPECT_FALSE(BuildFromProtobuf(PodMetadata(), Field(1, "\x0b\x0c")));  // a group
}

TEST(ResultOfRef, Arrow_ReachesObject) {
  const Ref<Unstructured> ref(
      BuildFromJson(Widgets(), R"({"metadata":{"name":"web-0"}})").OrExit());
  const Result<Ref<Unstructured>> read = ref;
  EXPECT_EQ(read->metadata().name(), "web-0");
  const Unstructured view = ref;
  EXPECT_EQ(view.metadata().name(), "web-0");
}

TEST(Block, CloneIsEqualAndUnclaimed) {
  const Result<ObjectRef> built =
      BuildFromJson(Widgets(), R"({"metadata":{"name":"x"},"spec":{"t":"\n"}})");
  ASSERT_TRUE(built);
  EXPECT_TRUE((*built)->TryClaim());
  EXPECT_FALSE((*built)->TryClaim());
  const ObjectRef clone = internal::CloneBlock(**built);
  EXPECT_TRUE(clone->SameAs(**built));
  EXPECT_TRUE(clone->TryClaim());
  EXPECT_EQ(Unstructured(clone.get()).root()["spec"]["t"].AsString(), "\n");
  EXPECT_GE(clone->allocated_bytes(), sizeof(internal::Block) + clone->payload().size());
}

TEST(Quantity, CanonicalForm) {
  const std::pair<const char*, const char*> cases[] = {
      {"1.5", "1500m"},     {"1.5Gi", "1536Mi"}, {"1024Mi", "1Gi"}, {"1000M", "1G"},
      {"0.5", "500m"},      {"1e3", "1e3"},      {"0Ki", "0"},      {".001e12", "1e9"},
      {"1001Gi", "1001Gi"}, {"512Ki", "512Ki"},  {"100m", "100m"},  {"-1.5", "-1500m"},
      {"0.5Ki", "512"},     {"1n", "1n"},        {"0.1n", "1n"},    {"1025", "1025"},
      {"+5", "5"},          {"1E", "1E"},        {"100k", "100k"},  {"0.000000001", "1n"},
  };
  for (const auto& [text, canonical] : cases) {
    const auto parsed = resource::Quantity::Parse(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->ToString(), canonical) << text;
  }
  for (const char* text : {"", "x", "1x", "1.2.3", "--1", "1 Gi", "1ki", "e3", "."}) {
    EXPECT_FALSE(resource::Quantity::Parse(text)) << text;
  }
}

TEST(Quantity, ArithmeticIsExact) {
  const auto q = [](const char* text) { return resource::Quantity::Parse(text).value(); };
  EXPECT_EQ(q("1"), q("1000m"));
  EXPECT_LT(q("999m"), q("1"));
  EXPECT_EQ((q("100m") + q("200m")).ToString(), "300m");
  EXPECT_EQ((q("1Gi") - q("512Mi")).ToString(), "512Mi");
  EXPECT_EQ(q("1500m").Value(), 2);
  EXPECT_EQ(q("-1500m").Value(), -2);
  EXPECT_EQ(q("1.5").MilliValue(), 1500);
  EXPECT_EQ(q("9223372036854775807").Value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(q("100E").Value(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(resource::Quantity::FromMilli(1500).ToString(), "1500m");
}

TEST(IntOrString, ScalesPercentages) {
  EXPECT_EQ(intstr::IntOrString("25%").ScaledValue(10, true).value(), 3);
  EXPECT_EQ(intstr::IntOrString("25%").ScaledValue(10, false).value(), 2);
  EXPECT_EQ(intstr::IntOrString(7).ScaledValue(10, false).value(), 7);
  EXPECT_FALSE(intstr::IntOrString("x").ScaledValue(10, false));
}

}  // namespace
}  // namespace kinformer
