// User-defined structs: read from cached objects, changed and written back; errors name misfits.

#include "kinformer/object/custom_resource.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/request_object.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Colour { kRed, kBlue };
constexpr std::array<EnumName<Colour>, 2> EnumNames(Colour) {
  return {{{Colour::kRed, "Red"}, {Colour::kBlue, "Blue"}}};
}

struct Rule {
  std::int32_t port = 0;
  std::string host{};
  UnknownFields unknown{};
  static constexpr auto kFields = std::tuple(
      Field("port", &Rule::port), Field("host", &Rule::host).OmitEmpty(), Field(&Rule::unknown));
};

struct Tree {
  std::string label{};
  Box<Tree> left{};
  std::vector<Tree> children{};
  static const std::tuple<internal::FieldOf<Tree, std::string>, internal::FieldOf<Tree, Box<Tree>>,
                          internal::FieldOf<Tree, std::vector<Tree>>>
      kFields;
};
constexpr std::tuple<internal::FieldOf<Tree, std::string>, internal::FieldOf<Tree, Box<Tree>>,
                     internal::FieldOf<Tree, std::vector<Tree>>>
    Tree::kFields = std::tuple(Field("label", &Tree::label), Field("left", &Tree::left),
                               Field("children", &Tree::children));

struct WidgetSpec {
  std::int64_t size = 1;
  std::optional<Colour> colour{};
  std::map<std::string, std::string> selector{};
  std::vector<Rule> rules{};
  std::vector<bool> flags{};
  std::optional<double> ratio{};
  std::uint8_t level = 0;
  std::uint64_t serial = 0;
  resource::Quantity memory{};
  std::optional<metav1::Time> since{};
  metav1::Duration timeout{};
  intstr::IntOrStringMutable target{};
  json::Value anything{};
  std::map<std::string, std::vector<Rule>> groups{};
  std::optional<Tree> tree{};
  UnknownFields unknown{};
  static constexpr auto kFields = std::tuple(
      Field("size", &WidgetSpec::size), Field("colour", &WidgetSpec::colour),
      Field("selector", &WidgetSpec::selector), Field("rules", &WidgetSpec::rules),
      Field("flags", &WidgetSpec::flags), Field("ratio", &WidgetSpec::ratio),
      Field("level", &WidgetSpec::level).OmitEmpty(),
      Field("serial", &WidgetSpec::serial).OmitEmpty(),
      Field("memory", &WidgetSpec::memory).OmitEmpty(), Field("since", &WidgetSpec::since),
      Field("timeout", &WidgetSpec::timeout).OmitEmpty(), Field("target", &WidgetSpec::target),
      Field("anything", &WidgetSpec::anything), Field("groups", &WidgetSpec::groups),
      Field("tree", &WidgetSpec::tree), Field(&WidgetSpec::unknown));
};

struct WidgetStatus {
  std::string phase{};
  static constexpr auto kFields = std::tuple(Field("phase", &WidgetStatus::phase));
};

struct Widget {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  WidgetSpec spec{};
  std::optional<WidgetStatus> status{};
  UnknownFields unknown{};
  static constexpr auto kFields = std::tuple(
      Field("spec", &Widget::spec), Field("status", &Widget::status), Field(&Widget::unknown));
};
using Widgets = CustomResource<Widget>;
static_assert(Resource<Widgets>);
static_assert(sizeof(Widgets) == 8);
static_assert(StructWithFields<Widget> && !StructWithFields<int> && !NamesItsKind<Rule>);

constexpr std::string_view kWidget =
    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"blue",)"
    R"("namespace":"default","resourceVersion":"7",)"
    R"("creationTimestamp":"2026-03-01T10:00:00Z","labels":{"a":"b"}},)"
    R"("spec":{"size":7,"colour":"Blue","selector":{"app":"web"},"rules":[{"port":80,)"
    R"("host":"h\n","newer":[1,{"x":1.50}]},{"port":-1}],)"
    R"("flags":[true,false],"ratio":0.5,"level":255,"serial":18446744073709551615,"memory":"1Gi",)"
    R"("since":"2026-03-01T10:00:00Z","timeout":"1m30s","target":"http","anything":{"b":1,)"
    R"("a":[null]},)"
    R"("groups":{"g":[{"port":1}]},"tree":{"label":"root","left":{"label":"l"},"children":[{)"
    R"("label":"c"}]},"added":{"deep":1e400}},)"
    R"("status":{"phase":"Ready"},"extra":[true]})";

Ref<Widgets> Build(std::string_view json) {
  const Result<internal::ObjectRef> built = internal::BuildFromJson(Widgets::kind_info(), json);
  EXPECT_TRUE(built) << built.error();
  return Ref<Widgets>(*built);
}

struct Touchy {
  Touchy() {
    if (armed) throw std::runtime_error("touchy");
  }
  static inline bool armed = false;
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  std::string phase{};
  static constexpr auto kFields = std::tuple(Field("phase", &Touchy::phase));
};

TEST(CustomResource, AStructThatThrowsMakesItsObjectUnreadable_H5) {
  const auto build = [] {
    return internal::BuildFromJson(
        CustomResource<Touchy>::kind_info(),
        R"({"apiVersion":"example.com/v1","kind":"Touchy","metadata":{"name":"a"},"phase":"x"})");
  };
  EXPECT_TRUE(build().ok());
  Touchy::armed = true;
  const Result<internal::ObjectRef> built = build();
  Touchy::armed = false;
  ASSERT_FALSE(built.ok());
  EXPECT_EQ(built.error().reason(), Reason::kDecode);
  EXPECT_THAT(built.error().message(), HasSubstr("kind Touchy threw: touchy"));
}

TEST(CustomResource, StructThrows_IsADecodeErrorAndCounted_H5) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.seed = 3, .log = NewNullLog(), .metrics = metrics});
  testing::ScriptedServer server;
  const std::string object =
      R"({"apiVersion":"example.com/v1","kind":"Touchy","metadata":{"name":"a"},"phase":"x"})";
  server.script = {testing::Json(object), testing::Json(R"({"items":[)" + object + "]}")};
  const std::shared_ptr<Transport> transport = NewInMemoryTransport(sim.env(), server);
  const Client client = Client::ForTransport(sim.env(), transport, {.qps = -1});
  ASSERT_TRUE(sim.RunBlocking(
      [&] {
        const auto touchies = client.For<CustomResource<Touchy>>("default");
        Touchy::armed = true;
        EXPECT_EQ(touchies.Get("a").error().reason(), Reason::kDecode);
        const auto list = touchies.List();
        Touchy::armed = false;
        ASSERT_TRUE(list.ok()) << list.error();
        EXPECT_EQ(list->unreadable(), 1U);
      },
      std::chrono::minutes(1)));
  EXPECT_THAT(metrics->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"the program's struct\"} 2"));
}

TEST(CustomResource, ReadsEveryTypeOfMember) {
  const Ref<Widgets> ref = Build(kWidget);
  EXPECT_EQ(ref->metadata().name(), "blue");
  EXPECT_EQ(ref->kind(), "Widget");
  const Widget& widget = ref->value();
  const WidgetSpec& spec = widget.spec;
  EXPECT_EQ(spec.size, 7);
  EXPECT_EQ(spec.colour, Colour::kBlue);
  EXPECT_EQ(spec.selector.at("app"), "web");
  ASSERT_EQ(spec.rules.size(), 2U);
  EXPECT_EQ(spec.rules[0].host, "h\n");
  EXPECT_EQ(spec.rules[1].port, -1);
  EXPECT_THAT(spec.flags, ElementsAre(true, false));
  EXPECT_EQ(spec.ratio, 0.5);
  EXPECT_EQ(spec.level, 255);
  EXPECT_EQ(spec.serial, 18446744073709551615ULL);
  EXPECT_EQ(spec.memory, *resource::Quantity::Parse("1024Mi"));
  EXPECT_EQ(spec.since->ToString(), "2026-03-01T10:00:00Z");
  EXPECT_EQ(spec.timeout.value(), std::chrono::seconds(90));
  EXPECT_EQ(spec.target.strVal, "http");
  EXPECT_EQ(spec.anything["b"].AsInt64(), 1);
  EXPECT_EQ(spec.groups.at("g")[0].port, 1);
  EXPECT_EQ(spec.tree->left->label, "l");
  EXPECT_EQ(spec.tree->children[0].label, "c");
  EXPECT_EQ(widget.status->phase, "Ready");
  // Decoded once: each access returns the same struct.
  EXPECT_EQ(&ref->value(), &widget);
}

TEST(CustomResource, UnchangedMembers_AreWrittenAsReceived) {
  const Ref<Widgets> ref = Build(kWidget);
  Widgets::Mutable copy = ref->DeepCopy();
  EXPECT_FALSE(copy.is_partial);
  EXPECT_EQ(copy.metadata.labels.at("a"), "b");
  EXPECT_EQ(EncodeJson(copy), kWidget);

  copy.spec.size = 8;
  copy.spec.rules[0].port = 81;
  copy.spec.colour.reset();
  copy.metadata.name = "green";
  json::Value wanted = json::Parse(kWidget).value();
  wanted.Ensure("spec", "size") = 8;
  wanted.Ensure("spec", "rules", 0, "port") = 81;
  wanted.Ensure("spec").Erase("colour");
  wanted.Ensure("metadata", "name") = "green";
  EXPECT_EQ(ToValue(copy), wanted) << EncodeJson(copy);
  EXPECT_EQ(ref->value().spec.size, 7) << "the cached object stays as it is";

  const internal::RequestObject request = internal::ToRequestObject<Widgets>(copy);
  EXPECT_EQ(request.name, "green");
  EXPECT_EQ(request.namespace_, "default");
  EXPECT_EQ(request.protobuf, "");
  EXPECT_EQ(json::Parse(request.json()).value(), wanted);
}

// Metadata fields of a later release are kept, as other unknown fields are.
TEST(CustomResource, UnknownMembersOfTheMetadataSurvive) {
  constexpr std::string_view kNewer =
      R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"blue",)"
      R"("creationTimestamp":null,"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n",)"
      R"("uid":"u","newer":true}],"managedFields":[{"manager":"m","fieldsV1":{}}],)"
      R"("newMeta":{"a":[1.50]}},"spec":{}})";
  for (const bool drop : {false, true}) {
    const Ref<Widgets> ref(
        internal::BuildFromJson(Widgets::kind_info(), kNewer, {.drop_managed_fields = drop})
            .OrExit());
    json::Value wanted = json::Parse(kNewer).value();
    if (drop) wanted.Ensure("metadata").Erase("managedFields");
    wanted.Ensure("metadata").Erase("creationTimestamp");
    const auto without_timestamp = [](std::string_view text) {
      json::Value value = json::Parse(text).value();
      value.Ensure("metadata").Erase("creationTimestamp");
      value.Erase("spec");
      return value;
    };
    wanted.Erase("spec");
    EXPECT_EQ(without_timestamp(ref->ToJson()), wanted);
    EXPECT_EQ(without_timestamp(EncodeJson(ref->DeepCopy())), wanted);
    EXPECT_EQ(without_timestamp(Unstructured(ref.object().get()).DeepCopy().Dump()), wanted);
  }
}

// A struct without a member for unknown fields cannot keep them: such a copy must not replace the
// object.
TEST(CustomResource, DroppedMembersMakeACopyPartial) {
  const Ref<Widgets> ref = Build(
      R"({"metadata":{"name":"x","namespace":"n"},"spec":{},"status":{"phase":"A","newer":1}})");
  const Widgets::Mutable copy = ref->DeepCopy();
  EXPECT_EQ(copy.status->phase, "A");
  EXPECT_TRUE(copy.is_partial);
}

TEST(CustomResource, StructsAreEqualWithTheirMetadata) {
  const Ref<Widgets> widget = Build(R"({"metadata":{"name":"a"},"spec":{"size":3}})");
  const Widgets::Mutable before = widget->DeepCopy();
  Widgets::Mutable after = before;
  EXPECT_TRUE(after == before);
  after.metadata.labels["tier"] = "back";
  EXPECT_FALSE(after == before);
  after = before;
  after.spec.size = 4;
  EXPECT_FALSE(after == before);
}

TEST(CustomResource, DefaultsAndNull) {
  const Ref<Widgets> ref =
      Build(R"({"metadata":{"name":"x"},"spec":{"size":null,"colour":null,"rules":null,"memory":2,)"
            R"("target":5}})");
  const Widget& widget = ref->value();
  EXPECT_EQ(widget.spec.size, 1);
  EXPECT_EQ(widget.spec.colour, std::nullopt);
  EXPECT_EQ(widget.spec.memory.Value(), 2);
  EXPECT_EQ(widget.spec.target.intVal, 5);
  EXPECT_FALSE(widget.status.has_value());
  EXPECT_EQ(FieldsToJson(widget.spec), R"({"size":1,"memory":"2","target":5})");
  EXPECT_TRUE(FieldsEqual(widget, Widget(widget)));
  EXPECT_FALSE(FieldsEqual(widget, Widget()));
}

struct BadWidget {
  const char* spec;
  const char* message;
};
class CustomResourceErrors : public ::testing::TestWithParam<BadWidget> {};

TEST_P(CustomResourceErrors, NameTheMember) {
  const Result<internal::ObjectRef> widget = internal::BuildFromJson(
      Widgets::kind_info(),
      R"({"metadata":{"name":"x","namespace":"n"},"spec":)" + std::string(GetParam().spec) + "}");
  ASSERT_FALSE(widget);
  EXPECT_EQ(widget.error().reason(), Reason::kDecode);
  EXPECT_EQ(widget.error().message(), std::string("Widget: spec") + GetParam().message +
                                          "; correct the struct's kFields, or the object");
}

INSTANTIATE_TEST_SUITE_P(
    All, CustomResourceErrors,
    ::testing::Values(
        BadWidget{"[]", ": expected an object, got an array"},
        BadWidget{R"({"size":"7"})", ".size: expected an integer, got a string"},
        BadWidget{R"({"size":1.5})", ".size: expected an integer, got 1.5"},
        BadWidget{R"({"size":9223372036854775808})",
                  ".size: 9223372036854775808 does not fit into the member's 64 bits"},
        BadWidget{R"({"level":256})", ".level: 256 does not fit into the member's 8 bits"},
        BadWidget{R"({"level":-1})", ".level: -1 does not fit into the member's 8 bits"},
        BadWidget{R"({"serial":18446744073709551616})",
                  ".serial: 18446744073709551616 does not fit into the member's 64 bits"},
        BadWidget{R"({"colour":"Green"})", ".colour: \"Green\" is none of Red, Blue"},
        BadWidget{R"({"rules":[{},{"port":[]}]})",
                  ".rules[1].port: expected an integer, got an array"},
        BadWidget{R"({"groups":{"a":[{"port":true}]}})",
                  ".groups.a[0].port: expected an integer, got a boolean"},
        BadWidget{R"({"flags":[0]})", ".flags[0]: expected a boolean, got a number"},
        BadWidget{R"({"timeout":"soon"})",
                  ".timeout: \"soon\" is no duration, such as 1h30m or 1.5s"},
        BadWidget{R"({"target":1.5})", ".target: expected an integer, got 1.5"},
        BadWidget{R"({"tree":{"children":[{"left":{"label":0}}]}})",
                  ".tree.children[0].left.label: expected a string, got a number"}));

// Malformed JSON below the root must not be decoded as a default.
TEST(CustomResource, MalformedJsonIsAnError) {
  for (const char* spec : {R"({"size":01})", R"({"anything":{"a" 1}})", R"({"colour":nul})"}) {
    const Result<internal::ObjectRef> widget = internal::BuildFromJson(
        Widgets::kind_info(), R"({"metadata":{"name":"x"},"spec":)" + std::string(spec) + "}");
    ASSERT_FALSE(widget) << spec;
    EXPECT_EQ(widget.error().reason(), Reason::kDecode);
  }
}

// Counts its live instances.
struct Counted {
  static int alive;
  std::string text{};
  Counted() { ++alive; }
  Counted(const Counted& other) : text(other.text) { ++alive; }
  Counted(Counted&& other) noexcept : text(std::move(other.text)) { ++alive; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --alive; }
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  static constexpr auto kFields = std::tuple(Field("text", &Counted::text));
};
int Counted::alive = 0;

TEST(CustomResource, TheStructLivesAndDiesWithTheBlock) {
  using Counteds = CustomResource<Counted>;
  const std::string text(1000, 'x');
  const std::string json = R"({"metadata":{"name":"x"},"text":")" + text + R"("})";
  {
    const Ref<Counteds> ref(internal::BuildFromJson(Counteds::kind_info(), json).OrExit());
    EXPECT_EQ(Counted::alive, 1);
    const Ref<Counteds> clone(internal::CloneBlock(*ref.object()));
    EXPECT_EQ(Counted::alive, 2);
    EXPECT_EQ(clone->value().text, text);
    EXPECT_NE(&clone->value(), &ref->value());
    EXPECT_EQ(*clone, *ref);
    EXPECT_TRUE(clone.object()->SameAs(*ref.object()));

    // The size includes the struct and its text.
    const internal::ObjectRef plain =
        internal::BuildFromJson(
            *internal::DynamicKindInfo("example.com", "v1", "Counted", "counteds", true), json)
            .OrExit();
    EXPECT_GE(ref.object()->allocated_bytes(),
              plain->allocated_bytes() + sizeof(Counted) + text.size());
    EXPECT_LE(ref.object()->allocated_bytes(),
              plain->allocated_bytes() + sizeof(Counted) + text.size() + 64);
  }
  EXPECT_EQ(Counted::alive, 0);
  EXPECT_FALSE(internal::BuildFromJson(Counteds::kind_info(), R"({"metadata":{},"text":1})"));
  EXPECT_EQ(Counted::alive, 0);
}

TEST(CustomResource, ProjectedObjectsHaveTheStructOfWhatIsLeft) {
  const Projection keep = Projection::Keep({"spec.size"}).OrExit();
  const Ref<Widgets> ref(
      internal::BuildFromJson(Widgets::kind_info(), kWidget, {.projection = keep.tree()}).OrExit());
  EXPECT_EQ(ref->value().spec.size, 7);
  EXPECT_TRUE(ref->value().spec.rules.empty());
  EXPECT_TRUE(ref->DeepCopy().is_partial);
}

TEST(CustomResource, AnObjectOfAnotherTypeIsRefused) {
  const internal::ObjectRef plain =
      internal::BuildFromJson(
          *internal::DynamicKindInfo("example.com", "v1", "Widget", "widgets", true), kWidget)
          .OrExit();
  const Widgets view(plain.get());
  EXPECT_EXIT(static_cast<void>(view.value()), ::testing::KilledBySignal(SIGABRT),
              "was not built for it");
}

TEST(Fields, FromText) {
  const Result<Rule> rule = FieldsFromJson<Rule>(R"({"port":5,"host":"a"})");
  ASSERT_TRUE(rule) << rule.error();
  EXPECT_EQ(FieldsToJson(*rule), R"({"port":5,"host":"a"})");
  EXPECT_THAT(FieldsFromJson<Rule>("{").error().message(), HasSubstr("line 1"));
  std::size_t dropped = 0;
  ASSERT_TRUE(FieldsFromValue<WidgetStatus>(json::Parse(R"({"a":1,"b":2})").value(), &dropped));
  EXPECT_EQ(dropped, 2U);
}

struct Narrow {
  struct Port {
    std::int32_t number = 0;
    std::optional<std::string> name{};
    static constexpr auto kFields =
        std::tuple(Field("number", &Port::number), Field("name", &Port::name));
  };
  struct Spec {
    std::vector<Port> ports{};
    std::vector<Rule> rules{};
    std::optional<Tree> tree{};
    std::vector<std::int32_t> sizes{};
    std::map<std::string, Port> by_name{};
    static constexpr auto kFields = std::tuple(
        Field("ports", &Spec::ports), Field("rules", &Spec::rules), Field("tree", &Spec::tree),
        Field("sizes", &Spec::sizes), Field("byName", &Spec::by_name));
  };
  Spec spec{};
  std::optional<WidgetStatus> status{};
  static constexpr auto kFields =
      std::tuple(Field("spec", &Narrow::spec), Field("status", &Narrow::status));
};

TEST(Fields, PathsForAProjection) {
  EXPECT_THAT(FieldPaths<Narrow>(),
              ElementsAre("spec.ports.number", "spec.ports.name", "spec.rules", "spec.tree.label",
                          "spec.tree.left", "spec.tree.children", "spec.sizes", "spec.byName",
                          "status.phase"));
}

}  // namespace
}  // namespace kinformer
