// Eventually and Consistently: when they look, and what they say.

#include "kinformer/testing/eventually.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/testing/environment.h"

#include "testing/fake_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

json::Value Colour(const std::string& colour) {
  return json::Parse(ToJson(Map("a", colour))).OrExit();
}

class EventuallyTest : public ::testing::Test {
 protected:
  // Changes the object's colour after a minute of simulated time.
  void ChangeLater(const std::string& colour) {
    later_ = env_.env().loop().RunAt(env_.env().Now() + minutes(1), [this, colour] {
      env_.server().Patch(kConfigMaps, {"default", "a"}, Colour(colour)).OrExit();
    });
  }
  Environment env_;
  Timer later_;
};

TEST_F(EventuallyTest, AdvancesSimulatedTimeUntilTheObjectMatches) {
  env_.server().Create(kConfigMaps, Colour("blue")).OrExit();
  ChangeLater("red");
  const SteadyTime begun = env_.env().Now();
  EXPECT_TRUE(Eventually(ObjectIn<corev1::ConfigMap>(env_, {"default", "a"}),
                         HasField(".data.colour", "red")));
  EXPECT_THAT(env_.env().Now() - begun, AllOf(Ge(minutes(1)), ::testing::Le(seconds(62))));
  EXPECT_TRUE(Eventually(ObjectIn(env_, kConfigMaps, {"default", "a"}), HasName("a")));
}

TEST_F(EventuallyTest, Failure_SaysWhatWasSeenLast) {
  env_.server().Create(kConfigMaps, Colour("blue")).OrExit();
  const SteadyTime begun = env_.env().Now();
  const ::testing::AssertionResult result =
      Eventually(ObjectIn<corev1::ConfigMap>(env_, {"default", "a"}), HasLabel("app", "web"),
                 {.within = seconds(30)});
  EXPECT_FALSE(result);
  EXPECT_GE(env_.env().Now() - begun, seconds(30));
  EXPECT_THAT(result.message(), StartsWith("not so within 30 s, in 3"));
  EXPECT_THAT(result.message(),
              HasSubstr("\nExpected: has the label \"app\" that is equal to \"web\"\n"));
  EXPECT_THAT(result.message(), HasSubstr("\n    Last: ConfigMap default/a, which has no label "
                                          "\"app\"; its labels are {}"));
}

TEST_F(EventuallyTest, ObjectThatIsMissing) {
  const auto object = ObjectIn<corev1::ConfigMap>(env_, {"default", "a"});
  EXPECT_TRUE(Eventually(object, DoesNotExist()));
  const ::testing::AssertionResult result =
      Eventually(object, HasName("a"), {.within = seconds(5)});
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), HasSubstr("configmaps \"a\" not found, which is no object: "));
}

TEST_F(EventuallyTest, Consistently_FailsAtTheFirstValueThatDoesNotMatch) {
  env_.server().Create(kConfigMaps, Colour("blue")).OrExit();
  const auto object = ObjectIn<corev1::ConfigMap>(env_, {"default", "a"});
  const SteadyTime begun = env_.env().Now();
  EXPECT_TRUE(Consistently(object, HasField(".data.colour", "blue"), {.within = seconds(50)}));
  EXPECT_GE(env_.env().Now() - begun, seconds(50));
  ChangeLater("red");
  const ::testing::AssertionResult result =
      Consistently(object, HasField(".data.colour", "blue"), {.within = minutes(5)});
  EXPECT_FALSE(result);
  EXPECT_LE(env_.env().Now() - begun, seconds(115)) << "it does not go on looking";
  EXPECT_THAT(result.message(), StartsWith("otherwise at look 6"));
  EXPECT_THAT(result.message(), HasSubstr("which has at .data.colour \"red\""));
}

TEST_F(EventuallyTest, AnyFunctionWithAClock) {
  int looks = 0;
  EXPECT_TRUE(Eventually(env_, [&] { return ++looks; }, Ge(4), {.every = minutes(1)}));
  EXPECT_EQ(looks, 4);
  EXPECT_TRUE(Eventually(env_.simulation(), [&] { return ++looks; }, 5));
  const ::testing::AssertionResult result =
      Eventually(env_, [] { return std::string("blue"); }, IsEmpty());
  EXPECT_FALSE(result);
  EXPECT_THAT(result.message(), HasSubstr("Last: \"blue\""));
}

TEST_F(EventuallyTest, ClientMayReadOnTheThreadOfTheTest) {
  env_.server().Create(kConfigMaps, Colour("blue")).OrExit();
  ChangeLater("red");
  const Client client = env_.client();
  EXPECT_TRUE(Eventually(env_, ObjectIn<corev1::ConfigMap>(client, {"default", "a"}),
                         HasField(".data.colour", "red")));
  EXPECT_TRUE(Eventually(
      env_, [&] { return client.For<corev1::ConfigMap>("default").List(); },
      ::testing::ResultOf([](const auto& list) { return list->size(); }, Ge(1U))));
}

TEST_F(EventuallyTest, LastMomentCounts) {
  env_.server().Create(kConfigMaps, Colour("blue")).OrExit();
  const auto object = ObjectIn<corev1::ConfigMap>(env_, {"default", "a"});
  ChangeLater("red");
  EXPECT_TRUE(Eventually(object, HasField(".data.colour", "red"),
                         {.within = seconds(61), .every = minutes(10)}));
  ChangeLater("green");
  EXPECT_FALSE(Consistently(object, HasField(".data.colour", "red"),
                            {.within = seconds(61), .every = minutes(10)}));
}

TEST(EventuallyInRealTime, WaitsForAServerOnThreadsOfItsOwn) {
  ApiServer server;
  const Client client = Client::ForTransport(server.env(), server.transport(), {.qps = -1});
  const auto by_client = ObjectIn<corev1::ConfigMap>(client, {"default", "a"});
  const auto by_server = ObjectIn<corev1::ConfigMap>(server, {"default", "a"});
  const ::testing::AssertionResult missing =
      Eventually(by_client, HasName("a"), {.within = milliseconds(1), .every = milliseconds(1)});
  EXPECT_FALSE(missing);
  EXPECT_THAT(missing.message(), StartsWith("not so within 0.001 s"));
  server.Create(kConfigMaps, Colour("blue")).OrExit();
  EXPECT_TRUE(Eventually(by_client, HasField(".data.colour", "blue")));
  EXPECT_TRUE(Eventually(by_server, HasField(".data.colour", "blue")));
  EXPECT_TRUE(Consistently(by_client, HasName("a"), {.within = milliseconds(1)}));
  int looks = 0;
  EXPECT_TRUE(Eventually([&] { return ++looks; }, 2, {.every = milliseconds(1)}));
}

}  // namespace
}  // namespace kinformer::testing
