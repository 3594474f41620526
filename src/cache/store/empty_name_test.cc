#include "cache/store/empty_name.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::cache {
namespace {

TEST(EmptyName, SaysWhereTheNameWentAndHowTheCallIsWritten) {
  const struct {
    bool wants_namespace;
    const char* namespace_;
    NameForm form;
    const char* want;
  } kCases[] = {
      {true, "web-0", NameForm::kObjectName,
       R"(things: the name is empty, and "web-0" stands in the place of the namespace: )"
       R"({namespace, name})"},
      {true, "web-0", NameForm::kArguments,
       R"(things: the name is empty, and "web-0" stands in the place of the namespace: )"
       R"(Get(namespace, name))"},
      {true, "", NameForm::kObjectName,
       "things: the name is empty, and so is the namespace: {namespace, name}"},
      {false, "node-1", NameForm::kObjectName,
       R"(things: the name is empty, and "node-1" stands in the place of the namespace: )"
       R"({"", "node-1"})"},
      {false, "node-1", NameForm::kArguments,
       R"(things: the name is empty, and "node-1" stands in the place of the namespace: )"
       R"(Get("", "node-1"))"},
      {false, "", NameForm::kArguments, R"(things: the name is empty: Get("", name))"},
  };
  for (const auto& c : kCases) {
    const Error error = EmptyName("things", c.wants_namespace, c.namespace_, c.form);
    EXPECT_EQ(error.message(), c.want);
    EXPECT_EQ(error.reason(), Reason::kInvalidArgument);
    EXPECT_FALSE(IsAbsent(error));
  }
}

}  // namespace
}  // namespace kinformer::internal::cache
