// Objects that are stored in several versions at once, which a webhook converts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/testing/webhook_conversion_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;

class MixedVersions : public WebhookConversion {
 protected:
  // Makes `old`, stored as v1, and then the others, stored as v2.
  void MakeMixed(const std::string& old, const std::vector<std::string>& others) {
    Make(old, 1);
    Redefine(Definition("v2"));
    int size = 2;
    for (const std::string& name : others) Make(name, size++);
    hook_.objects = 0;
    hook_.asked.clear();
  }
  std::vector<std::string> Sizes() {
    std::vector<std::string> out;
    const json::Value list = server_.Get(kV1).Json();
    for (const json::Value& item : list["items"].items()) {
      out.push_back(item.At("/metadata/name").StringOrEmpty() + "=" + item.At("/spec/size").Dump());
    }
    return out;
  }
};

TEST_F(MixedVersions, Lists_ConvertOnlyObjectsOfOtherVersions) {
  MakeMixed("a", {"b", "c"});
  EXPECT_THAT(Sizes(), ElementsAre("a=1", "b=2", "c=3"));
  EXPECT_EQ(hook_.objects, 2U) << "the first is of v1 already";
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("a=1", "b=2", "c=3"));
  EXPECT_EQ(hook_.objects, 3U) << "the others are of v2 already";
}

TEST_F(MixedVersions, Objects_KeepTheirPlacesInAnyOrder) {
  MakeMixed("m", {"b", "z"});
  EXPECT_THAT(Sizes(), ElementsAre("b=2", "m=1", "z=3"));
  EXPECT_THAT(Lengths(server_.Get(kV2)), ElementsAre("b=2", "m=1", "z=3"));
  EXPECT_EQ(Size("m"), 1);
  EXPECT_EQ(Size("z"), 3);
  EXPECT_EQ(Length("m"), "1");
  EXPECT_EQ(Length("z"), "3");
}

}  // namespace
}  // namespace kinformer::apiserver::testing
