// Objects that cannot be identified, in lists and watches.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/api/appsv1.h"

#include "client/testing/list_watch_fixture.h"
#include "wire/envelope.h"

namespace kinformer::internal::client {
namespace {

// Any damage of an object may hide the name of an existing one.
TEST_F(ListWatchTest, AnObjectThatNobodyCanNameEndsTheList) {
  const auto list_with = [&](const std::string& bad, const std::string& ns) {
    server_.script = {Json(
        WidgetList(Widget("a", 1) + "," + bad + "," + Widget("c", 2), R"("resourceVersion":"7")"))};
    List(widgets_, {}, ns);
    EXPECT_TRUE(recorder_.unreadable.empty()) << bad;
    ASSERT_FALSE(recorder_.list_done->ok()) << bad;
    EXPECT_EQ(recorder_.list_done->error().reason(), Reason::kDecode) << bad;
    EXPECT_NE(recorder_.list_done->error().message().find("incomplete"), std::string::npos)
        << recorder_.list_done->error();
  };
  for (const char* bad : {
           R"({"metadata":{"name":17,"namespace":"default"}})",
           R"({"metadata":{"name":null,"namespace":"default","resourceVersion":5}})",
           R"({"metadata":"b"})",
           R"({"metadata":{"namespace":"default"},"spec":{}})",
           R"({"spec":{}})",
           "{\"metadata\":{\"name\":\"b\xff\",\"namespace\":\"default\"}}",
           R"({"metadata":{"name":"\u0062","namespace":"default"},"spec":{"x":"\uZZZZ"}})",
       }) {
    list_with(bad, "default");
  }
  list_with(R"({"metadata":{"name":"b","resourceVersion":5}})", "");
  // Within one namespace, the missing namespace is known.
  server_.script = {Json(
      WidgetList(R"({"metadata":{"name":"b","resourceVersion":5}})", R"("resourceVersion":"7")"))};
  List(widgets_);
  EXPECT_TRUE(recorder_.list_done->ok());
  EXPECT_EQ(recorder_.unreadable, std::vector<std::string>{"default/b"});
}

TEST_F(ListWatchTest, AnObjectInProtobufThatNobodyCanNameEndsTheList) {
  const auto list = [](const std::string& item) {
    return Field(1, Field(2, "7")) + Field(2, item);
  };
  for (const std::string& bad : {
           Field(1, Field(1, "") + Field(3, "default") + Field(6, "5")),
           Field(1, std::string("\x0a\x7f", 2)),
           std::string("\x0a\x7f", 2),
           Field(1, Field(1, "b\xff") + Field(3, "default")),
       }) {
    server_.script = {Protobuf(wire::SealEnvelope("apps/v1", "DeploymentList", list(bad)))};
    List(appsv1::Deployment::kind_info());
    EXPECT_TRUE(recorder_.items.empty());
    EXPECT_FALSE(recorder_.list_done->ok()) << bad.size();
  }
}

TEST_F(ListWatchTest, AnObjectThatNobodyCanNameEndsTheWatch) {
  server_.script = {
      Json(R"({"type":"ADDED","object":{"metadata":{"name":"b\u0063","namespace":"default",)"
           R"("resourceVersion":5}}})"
           "\n")};
  Watch(widgets_);
  EXPECT_EQ(recorder_.unreadable, std::vector<std::string>{"+default/bc@"})
      << "what can be parsed can be named";
  for (const char* bad :
       {R"({"metadata":{"name":17}})", R"({"metadata":{"namespace":"default"}})"}) {
    server_.script = {Json(R"({"type":"ADDED","object":)" + std::string(bad) + "}\n")};
    Watch(widgets_);
    ASSERT_FALSE(recorder_.watch_done->ok()) << bad;
    EXPECT_EQ(recorder_.watch_done->error().reason(), Reason::kDecode);
  }
}

}  // namespace
}  // namespace kinformer::internal::client
