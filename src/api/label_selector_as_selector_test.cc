// Conversion of metav1's selectors to the library's.

#include "kinformer/object/label_selector_as_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/api/metav1_mutable.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/object/ref.h"

namespace kinformer {
namespace {

Ref<appsv1::Deployment> Deployment(const std::string& selector) {
  return Ref<appsv1::Deployment>(
      internal::BuildFromJson(
          appsv1::Deployment::kind_info(),
          R"({"metadata":{"name":"a","namespace":"n"},"spec":{)" + selector + R"("replicas":1}})")
          .OrExit());
}

TEST(LabelSelectorAsSelector, AllTerms) {
  const auto ref = Deployment(R"("selector":{"matchLabels":{"app":"web"},"matchExpressions":[)"
                              R"({"key":"tier","operator":"In","values":["b","a"]},)"
                              R"({"key":"old","operator":"DoesNotExist"},)"
                              R"({"key":"zone","operator":"Exists"},)"
                              R"({"key":"env","operator":"NotIn","values":["test"]}]},)");
  const std::string text = "app=web,env!=test,!old,tier in (a,b),zone";
  EXPECT_EQ(metav1::LabelSelectorAsSelector(ref->spec().selector()).OrExit().ToString(),
            LabelSelector::Parse(text).OrExit().ToString());
  EXPECT_EQ(metav1::LabelSelectorAsSelector(*ref->DeepCopy().spec.selector).OrExit(),
            LabelSelector::Parse(text).OrExit());
}

TEST(LabelSelectorAsSelector, EmptyIsEverythingAndAbsentNothing) {
  const auto empty = Deployment(R"("selector":{},)");
  EXPECT_TRUE(
      metav1::LabelSelectorAsSelector(empty->spec().selector()).OrExit().MatchesEverything());
  const auto absent = Deployment("");
  EXPECT_TRUE(metav1::LabelSelectorAsSelector(absent->spec().selector()).OrExit().MatchesNothing());
}

TEST(LabelSelectorAsSelector, InvalidTerm_ErrorNamesIt) {
  metav1::LabelSelector::Mutable selector;
  selector.matchExpressions.push_back({.key = "a", .operator_ = "Gt"});
  EXPECT_THAT(metav1::LabelSelectorAsSelector(selector).error().message(),
              testing::HasSubstr("\"Gt\" is not a valid label selector operator"));
  selector.matchExpressions[0].operator_ = "In";
  EXPECT_EQ(metav1::LabelSelectorAsSelector(selector).error().reason(), Reason::kInvalidArgument);
}

}  // namespace
}  // namespace kinformer
