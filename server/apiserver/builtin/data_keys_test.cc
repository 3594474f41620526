#include "apiserver/builtin/data_keys.h"

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;
using testing::Lines;

json::Value With(const char* member, const std::string& key, const std::string& value = "") {
  return json::Value::MakeObject({{member, json::Value::MakeObject({{key, value}})}});
}

std::string Check(const char* resource, const json::Value& object) {
  std::vector<StatusCause> causes;
  ValidateData(Builtin(resource), object, causes);
  return Lines(causes);
}

TEST(DataKeys, Keys_AreFileNames) {
  const std::string form =
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
      "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
      "'[-._a-zA-Z0-9]+')";
  struct Row {
    std::string key;
    std::string rule;
  };
  for (const Row& row : {
           Row{"a", ""},
           Row{"z", ""},
           Row{"A", ""},
           Row{"Z", ""},
           Row{"0", ""},
           Row{"9", ""},
           Row{"-", ""},
           Row{"_", ""},
           Row{".a", ""},
           Row{"a..b", ""},
           Row{"a-b_c.d", ""},
           Row{"`", form},
           Row{"{", form},
           Row{"@", form},
           Row{"[", form},
           Row{"/", form},
           Row{":", form},
           Row{"", form},
           Row{"a b", form},
           Row{"a/b", form},
           Row{".", "must not be '.'"},
           Row{"..", "must not be '..'"},
           Row{"..a", "must not start with '..'"},
           Row{"...", "must not start with '..'"},
           Row{std::string(253, 'a'), ""},
           Row{std::string(254, 'a'), "must be no more than 253 characters"},
       }) {
    for (const auto& [resource, member] :
         {std::pair("configmaps", "data"), std::pair("configmaps", "binaryData"),
          std::pair("secrets", "data")}) {
      EXPECT_EQ(Check(resource, With(member, row.key)),
                row.rule.empty() ? ""
                                 : std::string(member) + "[" + row.key + "]: Invalid value: \"" +
                                       row.key + "\": " + row.rule + "\n")
          << resource << " " << member;
    }
    EXPECT_EQ(Check("secrets", With("binaryData", row.key)), "");
    EXPECT_EQ(Check("pods", With("data", row.key)), "");
  }
}

TEST(DataKeys, KeyInBothMembers_IsADuplicate) {
  json::Value map = With("data", "a");
  map.Set("binaryData", json::Value::MakeObject({{"b", ""}}));
  EXPECT_EQ(Check("configmaps", map), "");
  map.Ensure("binaryData").Set("a", "");
  EXPECT_EQ(Check("configmaps", map),
            "data[a]: Invalid value: \"a\": duplicate of key present in binaryData\n");
}

TEST(DataKeys, Size_IsThatOfDecodedValues) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  constexpr const char* kLong = ": Too long: may not be more than 1048576 bytes\n";
  EXPECT_EQ(Check("configmaps", With("data", "a", std::string(kMost, 'x'))), "");
  EXPECT_EQ(Check("configmaps", With("data", "a", std::string(kMost + 1, 'x'))),
            std::string("[]") + kLong);
  // Four characters of base64 are three bytes; each = at the end is one less.
  const auto base64 = [](std::size_t bytes) {
    std::string text((bytes + 2) / 3 * 4, 'A');
    for (std::size_t i = 0; i < (3 - bytes % 3) % 3; ++i) text[text.size() - 1 - i] = '=';
    return text;
  };
  for (const auto& [resource, member, field] :
       {std::tuple("configmaps", "binaryData", "[]"), std::tuple("secrets", "data", "data")}) {
    EXPECT_EQ(Check(resource, With(member, "a", base64(kMost))), "") << resource;
    EXPECT_EQ(Check(resource, With(member, "a", base64(kMost + 1))), std::string(field) + kLong)
        << resource;
    // One byte more in a second value, with each padding
    for (const std::size_t first : {kMost - 1, kMost - 2, kMost - 3}) {
      json::Value object = With(member, "a", base64(first));
      object.Ensure(member).Set("b", base64(kMost - first));
      EXPECT_EQ(Check(resource, object), "") << resource << first;
      object.Ensure(member).Set("b", base64(kMost - first + 1));
      EXPECT_EQ(Check(resource, object), std::string(field) + kLong) << resource << first;
    }
  }
  json::Value both = With("data", "a", std::string(kMost, 'x'));
  both.Set("binaryData", json::Value::MakeObject({{"b", "AA=="}}));
  EXPECT_EQ(Check("configmaps", both), std::string("[]") + kLong);
}

TEST(DataKeys, ManyWrongKeys_AreNotAllReported) {
  for (const char* member : {"data", "binaryData"}) {
    json::Value map = json::Value::MakeObject();
    for (std::size_t i = 0; i < 2 * kMaxCauses; ++i) {
      map.Ensure(member).Set("/" + std::to_string(i), "");
      map.Ensure("binaryData").Set("/" + std::to_string(i), "");
    }
    std::vector<StatusCause> causes;
    ValidateData(Builtin("configmaps"), map, causes);
    EXPECT_EQ(causes.size(), kMaxCauses) << member;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
