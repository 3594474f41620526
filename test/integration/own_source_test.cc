// Informers over a source of objects that is the program's own. All includes are public headers, so
// that any program can do the same.

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/env.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/lister.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {
namespace {

// The texts of a collection: the objects of a list, then one that a watch adds.
struct Collection {
  std::vector<std::string> listed{};
  std::string added{};
};

std::string Text(const std::string& name, int version, const std::string& rest = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"default","uid":"u-)" + name +
         R"(","resourceVersion":")" + std::to_string(version) + "\"}" + rest + "}";
}

class TextListWatch final : public ListerWatcher {
 public:
  TextListWatch(Env& env, const KindInfo& kind, Collection texts)
      : env_(env), kind_(kind), texts_(std::move(texts)) {}

  std::unique_ptr<ListWatchCall> List(const ListOptions&, ListReceiver& receiver) override {
    return std::make_unique<Call>(env_, [this, &receiver] {
      for (const std::string& text : texts_.listed) {
        Result<AnyRef> object = ObjectFromJson(kind_, text, options_);
        if (object) {
          receiver.OnItem(*std::move(object));
        } else {
          receiver.OnUnreadable("default", "unreadable", object.error());
        }
      }
      receiver.OnDone(ListMeta{.resourceVersion = "10"});
    });
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions&, WatchReceiver& receiver) override {
    return std::make_unique<Call>(env_, [this, &receiver] {
      receiver.OnStarted();
      receiver.OnEvent({.type = WatchEventType::kAdded,
                        .object = ObjectFromJson(kind_, texts_.added, options_).OrExit(),
                        .resourceVersion = "11"});
      receiver.OnChunkEnd();
    });
  }
  bool SetEntryOptions(const EntryOptions& options) override {
    options_ = options;
    return true;
  }
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override { return true; }
  [[nodiscard]] std::string Describe() const override { return std::string(kind_.resource); }

 private:
  // Answers on the loop, unless it is destroyed before.
  class Call final : public ListWatchCall {
   public:
    Call(Env& env, Closure answer) : timer_(env.loop().RunAt(env.Now(), std::move(answer))) {}

   private:
    Timer timer_;
  };

  Env& env_;
  const KindInfo& kind_;
  const Collection texts_;
  EntryOptions options_;
};

class TextProvider final : public ListerWatcherProvider {
 public:
  TextProvider(Env& env, std::map<std::string, Collection> texts)
      : env_(env), texts_(std::move(texts)) {}
  [[nodiscard]] Env& env() const override { return env_; }
  std::unique_ptr<ListerWatcher> NewListWatch(const KindInfo& kind, const std::string&,
                                              const std::function<void(ListOptions&)>&) override {
    return std::make_unique<TextListWatch>(env_, kind, texts_.at(std::string(kind.resource)));
  }

 private:
  Env& env_;
  const std::map<std::string, Collection> texts_;
};

TEST(OwnSource, TypedAndDynamicInformers_HaveItsObjects) {
  Simulation sim;
  const auto provider = std::make_shared<TextProvider>(
      sim.env(), std::map<std::string, Collection>{
                     {"pods",
                      {{Text("a", 1), R"({"metadata":1})"},
                       Text("b", 11, R"(,"spec":{"nodeName":"n"},"status":{"phase":"Running"})")}},
                     {"widgets", {{Text("w", 2, R"(,"spec":{"size":3})")}, Text("x", 11)}}});
  SharedInformerFactory factory(provider);
  SharedInformer<corev1::Pod> pods = factory.InformerFor<corev1::Pod>(
      {.projection = Projection::Drop<corev1::Pod>({"status"}).OrExit()});
  SharedInformer<Unstructured> widgets =
      factory.ForResource({"example.com", "v1", "widgets"}, "Widget");
  factory.Start();
  ASSERT_TRUE(
      sim.RunUntil([&] { return pods.Stats().objects == 2 && widgets.Stats().objects == 2; },
                   std::chrono::minutes(1)));
  const Ref<corev1::Pod> b = pods.lister().Get("default", "b").OrExit();
  EXPECT_EQ(b->spec().nodeName(), "n");
  EXPECT_EQ(b->status().phase(), "") << "EntryOptions have the projection";
  EXPECT_EQ(pods.Stats().unreadable, 1U);
  const Ref<Unstructured> w = widgets.lister().Get("default", "w").OrExit();
  EXPECT_EQ(w->kind(), "Widget");
  EXPECT_EQ(w->root()["spec"]["size"].AsInt64(), 3);
  factory.Shutdown();
}

TEST(AnyRef, As_GivesObjectsOfThatKindOnly) {
  const Ref<corev1::Pod> pod =
      ObjectFromJson(corev1::Pod::kind_info(), Text("a", 1)).OrExit().As<corev1::Pod>();
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->metadata().name(), "a");
  const AnyRef any = pod;
  EXPECT_EQ(any->kind(), "Pod");
  EXPECT_EQ(any.As<corev1::Pod>(), pod) << "the same object";
  EXPECT_FALSE(any.As<corev1::ConfigMap>());
  const Ref<Unstructured> without_type = any.As<Unstructured>();
  EXPECT_EQ(without_type->metadata().name(), "a");
  EXPECT_FALSE(AnyRef().As<corev1::Pod>());
  EXPECT_FALSE(AnyRef().As<Unstructured>());
  EXPECT_FALSE(AnyRef(Ref<corev1::Pod>()));
}

TEST(ObjectFromJson, TextThatDoesNotFit_IsAnErrorThatNamesThePlace) {
  const auto wrong = ObjectFromJson(corev1::Pod::kind_info(), R"({"spec":{"nodeName":1}})");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().reason(), Reason::kDecode);
  EXPECT_NE(wrong.error().message().find("spec.nodeName"), std::string::npos) << wrong.error();
  const auto large =
      ObjectFromJson(corev1::Pod::kind_info(), Text("a", 1), {.max_object_bytes = 10});
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().reason(), Reason::kOverLimit);
}

}  // namespace
}  // namespace kinformer
