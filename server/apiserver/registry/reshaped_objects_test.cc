#include "apiserver/registry/reshaped_objects.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/json/yaml.h"

#include "apiserver/registry/conversion_webhook.h"
#include "apiserver/registry/testing/test_objects.h"
#include "base/core/env_view.h"

namespace kinformer::apiserver {
namespace {

using internal::base::WorkSlice;
using testing::Quoted;

constexpr std::string_view kSpec = R"(
group: x.io
scope: Namespaced
names: {plural: foos, kind: Foo}
versions:
- name: v1
  served: true
  schema: {openAPIV3Schema: {type: object, properties: {old: {type: integer}}}}
- name: v2
  served: true
  storage: true
  schema: {openAPIV3Schema: {type: object, properties: {
    a: {type: string}, c: {type: integer, default: 5}}}}
  selectableFields: [{jsonPath: .a}]
)";

// A clock that advances by a second whenever it is read.
class FastClock final : public internal::base::EnvView {
 public:
  explicit FastClock(Env& env) : EnvView(env, env.loop()), env_(env) {}
  [[nodiscard]] SteadyTime Now() const override { return env_.Now() + std::chrono::seconds(++n_); }

 private:
  Env& env_;
  mutable int n_ = 0;
};

class ReshapedObjectsTest : public ::testing::Test {
 protected:
  ReshapedObjectsTest() {
    resource_.defined = defined_;
    resource_.forms = std::make_shared<const std::vector<std::string>>(
        std::vector<std::string>{"v2", "v1", "v0"});
    resource_.store = std::make_shared<ResourceStore>(HistoryLimits{});
  }
  StoredObjectPtr Put(const std::string& name, const std::string& members, std::uint32_t form = 0) {
    auto stored = StoredObject::Make(Quoted("{'metadata':{'name':'" + name + "'}" +
                                            (members.empty() ? "" : "," + members) + "}"),
                                     ++version_, defined_->fields, form);
    resource_.store->Put(stored, now_);
    return stored;
  }
  void Delete(const std::string& key) {
    resource_.store->Delete(resource_.store->Get(key)->AtResourceVersion(++version_, true), now_);
  }
  std::shared_ptr<ReshapedObjects> Begin() {
    return std::make_shared<ReshapedObjects>(defined_, resource_, HistoryLimits{}, now_);
  }
  // Returns "key@version members" of all objects.
  static std::string Text(const ResourceStore& store, std::int64_t version) {
    std::string text;
    store.Walk({}, {}, version, [&](const StoredObjectPtr& stored) {
      json::Value object = stored->Parse();
      object.Erase("metadata");
      text +=
          stored->key() + "@" + std::to_string(stored->resource_version()) + object.Dump() + " ";
      return true;
    });
    return text;
  }

  Simulation sim_;
  const SteadyTime now_ = sim_.env().Now();
  std::shared_ptr<const DefinedResource> defined_ =
      DefinedResource::Make(yaml::Parse(kSpec).OrExit());
  ServedResource resource_ = testing::Builtin("x.io/foos");
  std::int64_t version_ = 0;
};

TEST_F(ReshapedObjectsTest, Turn_EndsAfterAFixedNumberOfObjectsOrWithItsTime) {
  for (int i = 0; i < 4097; ++i) Put("n" + std::to_string(i), "");
  const auto turns = [&](Env& env) {
    const auto objects = Begin();
    int count = 1;
    for (;; ++count) {
      const WorkSlice turn(env);
      if (objects->Collect(version_, &turn)) break;
    }
    objects->Shape();
    EXPECT_EQ(objects->Result(version_)->size(), 4097U);
    return count;
  };
  EXPECT_EQ(turns(sim_.env()), 2) << "4095 objects in one turn";
  FastClock fast(sim_.env());
  EXPECT_EQ(turns(fast), 66) << "the clock is read after 63 objects";
  const auto whole = Begin();
  EXPECT_TRUE(whole->Collect(version_, nullptr));
}

TEST_F(ReshapedObjectsTest, Changes_DuringTheConversionAreTakenOver) {
  Put("a", "'a':'x','b':1");
  Put("b", "'b':1");
  Put("gone", "'b':1");
  const auto objects = Begin();
  EXPECT_EQ(objects->BytesBehind(), 0U);
  EXPECT_TRUE(objects->Fit(resource_, defined_));
  ASSERT_TRUE(objects->Collect(version_, nullptr));
  objects->Shape();
  std::size_t bytes = Put("c", "'b':1")->body().size();
  bytes += Put("a", "'a':'y'")->body().size();
  Delete("gone");
  bytes += resource_.store->event(resource_.store->end_sequence() - 1).current->body().size();
  EXPECT_EQ(objects->BytesBehind(), bytes);
  EXPECT_TRUE(objects->Fit(resource_, defined_)) << "the log has all of them";
  objects->CollectBehind();
  EXPECT_EQ(objects->BytesBehind(), 0U);
  objects->Shape();
  bytes = Put("d", "")->body().size();
  EXPECT_EQ(objects->BytesBehind(), bytes);
  objects->CollectBehind();
  objects->Shape();
  const auto made = objects->Result(version_);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(Text(*made, version_), R"(a@5{"a":"y","c":5} b@2{"c":5} c@4{"c":5} d@7{"c":5} )");
  EXPECT_EQ(made->size(), 4U);
  EXPECT_EQ(made->floor(), version_) << "no history";
  EXPECT_EQ(made->Get("a")->Field(0), "y");
  EXPECT_FALSE(objects->mixed_forms());
}

TEST_F(ReshapedObjectsTest, ChangesForgottenByTheLog_NoLongerFit) {
  resource_.store =
      std::make_shared<ResourceStore>(HistoryLimits{.max_events = 2, .min_events = 1});
  Put("a", "");
  const auto objects = Begin();
  ASSERT_TRUE(objects->Collect(version_, nullptr));
  Put("b", "");
  Put("c", "");
  EXPECT_TRUE(objects->Fit(resource_, defined_)) << "both are in the log";
  std::size_t bytes = resource_.store->Get("c")->body().size();
  bytes += Put("d", "")->body().size();
  EXPECT_FALSE(objects->Fit(resource_, defined_));
  EXPECT_EQ(objects->BytesBehind(), bytes) << "those that are left";
  objects->CollectBehind();
  objects->Shape();
  EXPECT_EQ(Text(*objects->Result(version_), version_), R"(a@1{"c":5} c@3{"c":5} d@4{"c":5} )");
}

TEST_F(ReshapedObjectsTest, Fit_ComparesDefinitionAndStore) {
  const auto objects = Begin();
  EXPECT_TRUE(objects->Fit(resource_, defined_));
  EXPECT_FALSE(objects->Fit(resource_, DefinedResource::Make(yaml::Parse(kSpec).OrExit())));
  resource_.store = std::make_shared<ResourceStore>(HistoryLimits{});
  EXPECT_FALSE(objects->Fit(resource_, defined_));
}

TEST_F(ReshapedObjectsTest, Result_IsNullIfNoObjectChanges) {
  const auto result = [&](const char* members, std::uint32_t form = 0) {
    resource_.store = std::make_shared<ResourceStore>(HistoryLimits{});
    Put("a", members, form);
    const auto objects = Begin();
    objects->Collect(version_, nullptr);
    objects->Shape();
    EXPECT_EQ(objects->mixed_forms(), form != 0) << members;
    const auto made = objects->Result(version_);
    return made == nullptr ? "" : Text(*made, version_).substr(3);
  };
  EXPECT_EQ(result("'a':'x','c':7"), "");
  EXPECT_EQ(result("'a':'x','c':7", 1), "");
  EXPECT_NE(result("'a':'x'"), "") << "a default";
  EXPECT_NE(result("'a':'x','c':7,'d':1"), "") << "an unknown field";
  EXPECT_NE(result("'a':'x','c':7,'d':1", 1), "");
  // An object that is as before, but has another selectable field.
  resource_.store = std::make_shared<ResourceStore>(HistoryLimits{});
  resource_.store->Put(
      StoredObject::Make(Quoted("{'metadata':{'name':'a'},'a':'x','c':7}"), ++version_, {}), now_);
  const auto objects = Begin();
  objects->Collect(version_, nullptr);
  objects->Shape();
  ASSERT_NE(objects->Result(version_), nullptr);
  EXPECT_EQ(objects->Result(version_)->Get("a")->Field(0), "x");
}

TEST_F(ReshapedObjectsTest, Defaults_EnlargeAllObjectsByLittleMoreThan16MiB) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  json::Value spec = yaml::Parse(kSpec).OrExit();
  // The member and its quotes have 7 bytes.
  spec.Ensure("versions", 1, "schema", "openAPIV3Schema", "properties", "c")
      .MergePatch(
          json::Value::MakeObject({{"type", "string"}, {"default", std::string(kMiB - 7, 'x')}}));
  defined_ = DefinedResource::Make(spec);
  for (int i = 0; i < 19; ++i) Put(std::string(1, static_cast<char>('a' + i)), "'a':'x'");
  const auto objects = Begin();
  ASSERT_TRUE(objects->Collect(version_, nullptr));
  objects->Shape();
  const auto made = objects->Result(version_);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->Get("a")->body().size(), resource_.store->Get("a")->body().size() + kMiB);
  EXPECT_GT(made->Get("q")->body().size(), kMiB) << "the first to exceed it";
  EXPECT_EQ(made->Get("r")->body(), resource_.store->Get("r")->body());
  EXPECT_EQ(made->Get("s")->body(), resource_.store->Get("s")->body());
}

TEST_F(ReshapedObjectsTest, VersionsConvertedByAWebhook_KeepTheirSchemas) {
  auto defined = std::make_shared<DefinedResource>(*defined_);
  const auto shaped = [&](std::uint32_t form) {
    defined_ = defined;
    resource_.store = std::make_shared<ResourceStore>(HistoryLimits{});
    Put("a", "'old':1,'z':1", form);
    const auto objects = Begin();
    objects->Collect(version_, nullptr);
    objects->Shape();
    EXPECT_EQ(objects->mixed_forms(), form != 0);
    const auto made = objects->Result(version_);
    if (made == nullptr) return std::string("unchanged");
    EXPECT_EQ(made->Get("a")->form(), form);
    return Text(*made, version_).substr(Text(*made, version_).find('{'));
  };
  EXPECT_EQ(shaped(1), "{\"c\":5} ") << "no webhook: all are in the storage version's form";
  defined->webhook = std::make_shared<const ConversionWebhook>();
  EXPECT_EQ(shaped(0), "{\"c\":5} ");
  EXPECT_EQ(shaped(1), "{\"old\":1} ");
  EXPECT_EQ(shaped(2), "unchanged") << "a version that the definition no longer has";
}

TEST_F(ReshapedObjectsTest, ReshapeObjects_ReplacesTheStore) {
  const auto reshape = [&](std::shared_ptr<ReshapedObjects> ready) {
    return ReshapeObjects(resource_, std::move(ready), version_, HistoryLimits{}, now_);
  };
  resource_.mixed_forms = true;
  EXPECT_EQ(reshape(nullptr), nullptr) << "no object";
  EXPECT_FALSE(resource_.mixed_forms);
  Put("a", "'b':1", 1);
  auto before = resource_.store;
  EXPECT_EQ(reshape(nullptr), before);
  EXPECT_NE(resource_.store, before);
  EXPECT_TRUE(resource_.mixed_forms);
  EXPECT_EQ(Text(*resource_.store, version_), R"(a@1{"c":5} )");
  EXPECT_EQ(reshape(nullptr), nullptr) << "as it should be";
  EXPECT_TRUE(resource_.mixed_forms);

  // A conversion that was begun is finished.
  resource_.store = before;
  const auto ready = Begin();
  ready->Collect(version_, nullptr);
  Put("b", "'b':1");
  EXPECT_EQ(reshape(ready), before);
  EXPECT_EQ(Text(*resource_.store, version_), R"(a@1{"c":5} b@2{"c":5} )");
  // One for another store is of no use.
  before = std::make_shared<ResourceStore>(HistoryLimits{});
  resource_.store = before;
  Put("other", "'b':1");
  EXPECT_EQ(reshape(ready), before);
  EXPECT_EQ(Text(*resource_.store, version_), R"(other@3{"c":5} )");
  EXPECT_FALSE(resource_.mixed_forms);
}

}  // namespace
}  // namespace kinformer::apiserver
