// Namespaces of the calls of a DelegatingClient, and the errors of calls without one.

#include "controller/delegating/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/internal/kind_info.h"

namespace kinformer::internal::delegating {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const KindInfo& Things() { return *DynamicKindInfo("test.example", "v1", "Thing", "things", true); }
const KindInfo& Worlds() {
  return *DynamicKindInfo("test.example", "v1", "World", "worlds", false);
}

// Errors must not suggest functions of other classes, which do not help here.
void ExpectOwnWords(const Error& error, const std::string& remedy) {
  EXPECT_EQ(error.reason(), Reason::kInvalidArgument) << error;
  EXPECT_THAT(error.message(), HasSubstr(remedy));
  for (const char* foreign : {"lister", "Namespace(ns)", "Client::For"}) {
    EXPECT_THAT(error.message(), Not(HasSubstr(foreign)));
  }
}

TEST(Placement, ANameWithoutItsNamespace_SaysHowItIsNamed) {
  for (const auto& place : {&PlacedName, &PlacedRead}) {
    ExpectOwnWords(place(Things(), {"", "a"}, "").error(), R"({"default", "a"})");
    ExpectOwnWords(place(Things(), {"", "shop/a"}, "").error(), R"({"shop", "a"})");
    EXPECT_EQ(place(Things(), {"", "a"}, "home").value().namespace_, "home");
    EXPECT_EQ(place(Things(), {"x", "a"}, "").value().namespace_, "x");
    EXPECT_EQ(place(Worlds(), {"", "a"}, "home").value().namespace_, "");
  }
}

TEST(Placement, AnEmptyName_IsAnErrorOfTheArguments) {
  for (const auto& place : {&PlacedName, &PlacedRead}) {
    ExpectOwnWords(
        place(Things(), {"web-0", ""}, "").error(),
        R"(things: the name is empty, and "web-0" stands in the place of the namespace: )"
        R"({namespace, name})");
    ExpectOwnWords(place(Things(), {}, "").error(), "and so is the namespace: {namespace, name}");
    ExpectOwnWords(place(Worlds(), {"node-1", ""}, "").error(), R"({"", "node-1"})");
    ExpectOwnWords(place(Worlds(), {}, "").error(), R"(worlds: the name is empty: {"", name})");
    // The client adds its namespace.
    ExpectOwnWords(place(Things(), {"web-0", ""}, "home").error(), R"({"", "web-0"})");
    ExpectOwnWords(place(Things(), {"home", ""}, "home").error(), R"(is empty: {"", name})");
    ExpectOwnWords(place(Things(), {}, "home").error(), R"(is empty: {"", name})");
  }
}

TEST(Placement, ANamespaceTooMany_IsAnErrorOfReadsOnly) {
  ExpectOwnWords(PlacedRead(Worlds(), {"x", "a"}, "").error(), R"({"", "a"})");
  EXPECT_TRUE(PlacedName(Worlds(), {"x", "a"}, "").ok());
  EXPECT_TRUE(PlacedWrite(Worlds(), {"x", "a"}, "", "it").ok());
}

TEST(Placement, AWriteWithoutItsNamespace_SaysWhatToSet) {
  const Error one = PlacedWrite(Things(), {"", "a"}, "", "metadata.namespace").error();
  ExpectOwnWords(one, "set metadata.namespace, or call WithNamespace");
  EXPECT_THAT(one.message(), HasSubstr("things \"a\""));
  ExpectOwnWords(PlacedWrite(Things(), {}, "", "ReadOptions::namespace_").error(),
                 "set ReadOptions::namespace_");
  EXPECT_EQ(PlacedWrite(Things(), {"", "a"}, "home", "it").value().namespace_, "home");
}

TEST(Placement, NamespaceOtherThanTheClients_IsAnError) {
  for (const Result<ObjectName>& placed :
       {Placed(Things(), {"x", "a"}, "home"), PlacedName(Things(), {"x", "a"}, "home"),
        PlacedRead(Things(), {"x", "a"}, "home"), PlacedWrite(Things(), {"x", "a"}, "home", "it"),
        PlacedWrite(Things(), {"x", ""}, "home", "it")}) {
    ASSERT_FALSE(placed.ok());
    EXPECT_EQ(placed.error().reason(), Reason::kInvalidArgument);
    EXPECT_THAT(placed.error().message(), HasSubstr("home"));
  }
}

TEST(Placement, Name_IsKept) {
  EXPECT_EQ(Placed(Things(), {"", "a"}, "home").value(), (ObjectName{"home", "a"}));
  EXPECT_EQ(Placed(Things(), {"", "a"}, "").value(), (ObjectName{"", "a"}));
  EXPECT_EQ(PlacedRead(Things(), {"x", "a"}, "").value(), (ObjectName{"x", "a"}));
  EXPECT_EQ(PlacedWrite(Worlds(), {"", "a"}, "", "it").value(), (ObjectName{"", "a"}));
  EXPECT_EQ(PlacedWrite(Things(), {"home", ""}, "home", "it").value(), (ObjectName{"home", ""}));
  EXPECT_EQ(Quoted(Things(), {"x", "a"}), "things \"x/a\"");
  EXPECT_EQ(Quoted(Worlds(), {"", "a"}), "worlds \"a\"");
}

TEST(Placement, StoppedCache_ErrorNamesApiReaderAndNotStart) {
  const Error stopped = OfStoppedCache(Error(Reason::kStopped, "Start it again"), Things());
  EXPECT_EQ(stopped.reason(), Reason::kStopped);
  EXPECT_THAT(stopped.message(), HasSubstr("APIReader"));
  EXPECT_THAT(stopped.message(), Not(HasSubstr("Start")));
  EXPECT_EQ(OfStoppedCache(Error(Reason::kNotFound, "gone"), Things()).message(), "gone");
}

}  // namespace
}  // namespace kinformer::internal::delegating
