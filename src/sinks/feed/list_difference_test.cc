#include "sinks/feed/list_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "client/testing/test_pods.h"

namespace kinformer::internal::sinks {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

HeldObject Held(const std::string& name, const std::string& rv, const std::string& uid = "") {
  return {
      .name = {"default", name}, .uid = uid.empty() ? "uid-" + name : uid, .resourceVersion = rv};
}
SinkChange Listed(const std::string& name, const std::string& rv) {
  return SinkChange::Upsert(Ref<Unstructured>(client::MakePod("default", name, rv)));
}
std::vector<std::string> Difference(std::vector<HeldObject> held, std::vector<SinkChange> listed,
                                    const std::vector<ObjectName>& unreadable = {}) {
  std::vector<std::string> words;
  for (const SinkChange& change : ListDifference(std::move(held), std::move(listed), unreadable)) {
    words.push_back((change.removes() ? "-" : "+") + change.Key() + "@" +
                    std::string(change.resourceVersion()));
  }
  return words;
}

TEST(ListDifferenceTest, EqualObjects_NothingChanges) {
  EXPECT_THAT(Difference({Held("a", "1"), Held("b", "2")}, {Listed("a", "1"), Listed("b", "2")}),
              IsEmpty());
}

TEST(ListDifferenceTest, RemovalsComeFirst) {
  EXPECT_THAT(Difference({Held("a", "1"), Held("b", "2")}, {Listed("b", "3"), Listed("c", "4")}),
              ElementsAre("-default/a@1", "+default/b@3", "+default/c@4"));
}

TEST(ListDifferenceTest, ObjectMadeAnewUnderItsName_IsRemovedAndAdded) {
  EXPECT_THAT(Difference({Held("a", "1", "before")}, {Listed("a", "1")}),
              ElementsAre("-default/a@1", "+default/a@1"));
}

TEST(ListDifferenceTest, UnreadableObject_Stays) {
  EXPECT_THAT(Difference({Held("a", "1"), Held("b", "1")}, {}, {{"default", "b"}}),
              ElementsAre("-default/a@1"));
}

}  // namespace
}  // namespace kinformer::internal::sinks
