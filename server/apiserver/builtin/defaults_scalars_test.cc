#include "apiserver/builtin/defaults_scalars.h"

#include <gtest/gtest.h>
#include <string>

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;

FieldDescriptor Of(FieldKind kind) { return {.json_name = "field", .number = 1, .kind = kind}; }

struct Row {
  FieldKind kind;
  const char* value;      // JSON
  const char* canonical;  // null: of the wrong type, or in an unusual form
  bool fits;
};

constexpr const char* kNotUsual = nullptr;

TEST(Scalars, Values_HaveTheirCanonicalForm) {
  for (const Row& row : {
           Row{FieldKind::kString, R"("a")", R"("a")", true},
           Row{FieldKind::kString, "1", kNotUsual, false},
           Row{FieldKind::kBool, "true", "true", true},
           Row{FieldKind::kBool, "1", kNotUsual, false},
           Row{FieldKind::kInt32, "2147483647", "2147483647", true},
           Row{FieldKind::kInt32, "-2147483648", "-2147483648", true},
           Row{FieldKind::kInt32, "2147483648", kNotUsual, false},
           Row{FieldKind::kInt32, "-2147483649", kNotUsual, false},
           Row{FieldKind::kInt32, "1.0", kNotUsual, false},
           Row{FieldKind::kInt32, R"("1")", kNotUsual, false},
           Row{FieldKind::kInt64, "9223372036854775807", "9223372036854775807", true},
           Row{FieldKind::kInt64, "9223372036854775808", kNotUsual, false},
           Row{FieldKind::kInt64, "1.0", kNotUsual, false},
           Row{FieldKind::kInt64, R"("1")", kNotUsual, false},
           Row{FieldKind::kIntOrString, "7", "7", true},
           Row{FieldKind::kIntOrString, R"("7%")", R"("7%")", true},
           Row{FieldKind::kIntOrString, "2147483648", kNotUsual, false},
           Row{FieldKind::kIntOrString, "true", kNotUsual, false},
           Row{FieldKind::kDouble, "1.5", "1.5", false},  // needs a full check
           Row{FieldKind::kDouble, "2", "2", true},
           Row{FieldKind::kDouble, R"("2")", kNotUsual, false},
           Row{FieldKind::kBytes, R"("aGk=")", R"("aGk=")", true},
           Row{FieldKind::kBytes, R"("aGl=")", kNotUsual, true},
           Row{FieldKind::kBytes, R"("?")", kNotUsual, false},
           Row{FieldKind::kBytes, "1", kNotUsual, false},
           Row{FieldKind::kTime, R"("2026-01-02T03:04:05Z")", R"("2026-01-02T03:04:05Z")", true},
           Row{FieldKind::kTime, R"("2026-01-02T03:04:05.5Z")", kNotUsual, true},
           Row{FieldKind::kTime, R"("2026-01-02T03:04:05+00:00")", kNotUsual, true},
           Row{FieldKind::kTime, R"("0001-01-01T00:00:00Z")", kNotUsual, true},
           Row{FieldKind::kTime, R"("2026-13-02T03:04:05Z")", kNotUsual, false},
           Row{FieldKind::kTime, R"("2026-01-02T03:04:0:Z")", kNotUsual, false},
           Row{FieldKind::kTime, R"("2026-01-02T03:04:0/Z")", kNotUsual, false},
           Row{FieldKind::kTime, R"("2026-01-02T03:04:99Z")", kNotUsual, false},
           Row{FieldKind::kTime, R"("2009-09-09T09:09:09Z")", R"("2009-09-09T09:09:09Z")", true},
           Row{FieldKind::kTime, "1", kNotUsual, false},
           Row{FieldKind::kMicroTime, R"("2026-01-02T03:04:05.000006Z")",
               R"("2026-01-02T03:04:05.000006Z")", true},
           Row{FieldKind::kMicroTime, R"("2026-01-02T03:04:05Z")", kNotUsual, true},
           Row{FieldKind::kMicroTime, "1", kNotUsual, false},
           Row{FieldKind::kDuration, R"("90s")", R"("1m30s")", true},
           Row{FieldKind::kDuration, R"("0s")", R"("0s")", true},
           Row{FieldKind::kDuration, R"("x")", kNotUsual, false},
           Row{FieldKind::kDuration, "90", kNotUsual, false},
           Row{FieldKind::kRawJson, "[1]", "[1]", true},
           Row{FieldKind::kJsonUnion, "[1]", "[1]", false},  // checked elsewhere
           Row{FieldKind::kMessage, "{}", kNotUsual, false},
       }) {
    const FieldDescriptor field = Of(row.kind);
    json::Value value = json::Parse(row.value).OrExit();
    EXPECT_EQ(FitsScalar(field, value), row.fits) << row.value;
    const bool usual = CanonicalScalar(field, value);
    EXPECT_EQ(usual, row.canonical != kNotUsual) << row.value;
    if (usual) {
      EXPECT_EQ(value.Dump(), row.canonical);
    }
  }
}

struct Quantity {
  const char* value;  // JSON
  const char* usual;  // null: no quantity
  // In a resource list, which counts whole thousandths; null: the same.
  const char* listed;
};

// The rows are what a server answers: it keeps the text of many quantities that are not canonical.
TEST(Scalars, Quantities_AreCanonicalOrStayAsWritten) {
  for (const Quantity& row : {
           Quantity{R"("1")", R"("1")", nullptr},
           Quantity{R"("999")", R"("999")", nullptr},
           Quantity{R"("1000")", R"("1k")", nullptr},
           Quantity{R"("1001")", R"("1001")", nullptr},
           Quantity{R"("9Mi")", R"("9Mi")", nullptr},
           Quantity{R"("100m")", R"("100m")", nullptr},
           Quantity{R"("1000m")", R"("1")", nullptr},
           Quantity{R"("1500m")", R"("1500m")", nullptr},
           Quantity{R"("1024Mi")", R"("1Gi")", nullptr},
           Quantity{R"("1025Mi")", R"("1025Mi")", nullptr},
           Quantity{R"("1.5Gi")", R"("1536Mi")", nullptr},
           Quantity{R"("0.5")", R"("500m")", nullptr},
           Quantity{R"("1.001")", R"("1.001")", nullptr},
           Quantity{R"("1E3")", R"("1E3")", nullptr},
           Quantity{R"("1e3")", R"("1e3")", nullptr},
           Quantity{R"("1e2")", R"("100")", nullptr},
           Quantity{R"("1e+3")", R"("1e+3")", nullptr},
           Quantity{R"("1000e3")", R"("1e6")", nullptr},
           Quantity{R"("0")", R"("0")", nullptr},
           Quantity{R"("0.0")", R"("0")", nullptr},
           Quantity{R"("-1")", R"("-1")", nullptr},
           Quantity{R"("+1")", R"("+1")", nullptr},
           Quantity{R"("007")", R"("007")", nullptr},
           Quantity{R"("1k")", R"("1k")", nullptr},
           Quantity{R"("1000k")", R"("1M")", nullptr},
           Quantity{R"("1P")", R"("1P")", nullptr},
           Quantity{R"("1E")", R"("1E")", nullptr},
           Quantity{R"("7Ki")", R"("7Ki")", nullptr},
           Quantity{R"("1001Ki")", R"("1001Ki")", nullptr},
           Quantity{R"("0.5Ki")", R"("512")", nullptr},
           Quantity{R"("1u")", R"("1u")", R"("1m")"},
           Quantity{R"("1500u")", R"("1500u")", R"("2m")"},
           Quantity{R"("2000u")", R"("2m")", nullptr},
           Quantity{R"("1n")", R"("1n")", R"("1m")"},
           Quantity{R"("0.0001")", R"("100u")", R"("1m")"},
           Quantity{R"("0.000001")", R"("1u")", R"("1m")"},
           Quantity{R"("0.0000000001")", R"("1n")", R"("1m")"},
           Quantity{"5", R"("5")", nullptr},
           Quantity{"1.5", R"("1500m")", nullptr},
           Quantity{"1000", R"("1k")", nullptr},
           Quantity{"1.001", R"("1.001")", nullptr},
           Quantity{R"("")", nullptr, nullptr},
           Quantity{R"("x")", nullptr, nullptr},
           Quantity{R"("1x")", nullptr, nullptr},
           Quantity{"true", nullptr, nullptr},
       }) {
    for (const bool listed : {false, true}) {
      FieldDescriptor field = Of(FieldKind::kQuantity);
      field.map = listed;
      json::Value value = json::Parse(row.value).OrExit();
      const char* const want = listed && row.listed != nullptr ? row.listed : row.usual;
      EXPECT_EQ(CanonicalScalar(field, value), want != nullptr) << row.value << listed;
      if (want != nullptr) {
        EXPECT_EQ(value.Dump(), want) << row.value << listed;
      }
    }
  }
}

TEST(Scalars, Absent_IsNullOrZero) {
  struct Absence {
    FieldKind kind;
    const char* zero;
    const char* other;
  };
  for (const Absence& row : {
           Absence{FieldKind::kString, R"("")", R"("a")"},
           Absence{FieldKind::kBytes, R"("")", R"("AA==")"},
           Absence{FieldKind::kBool, "false", "true"},
           Absence{FieldKind::kInt32, "0", "1"},
           Absence{FieldKind::kInt64, "0", "1"},
           Absence{FieldKind::kDouble, "0.0", "0.5"},
           Absence{FieldKind::kIntOrString, "0", "1"},
           Absence{FieldKind::kIntOrString, R"("")", R"("a")"},
       }) {
    FieldDescriptor field = Of(row.kind);
    const json::Value zero = json::Parse(row.zero).OrExit();
    const json::Value other = json::Parse(row.other).OrExit();
    EXPECT_TRUE(IsAbsent(field, {})) << row.zero;
    EXPECT_TRUE(IsAbsent(field, zero)) << row.zero;
    EXPECT_FALSE(IsAbsent(field, other)) << row.other;
    EXPECT_FALSE(IsAbsent(field, json::Value::MakeObject())) << row.zero;
    field.pointer = true;
    EXPECT_TRUE(IsAbsent(field, {}));
    EXPECT_FALSE(IsAbsent(field, zero)) << row.zero;
  }
  for (const FieldKind kind : {FieldKind::kQuantity, FieldKind::kTime, FieldKind::kMessage}) {
    EXPECT_FALSE(IsAbsent(Of(kind), ""));
    EXPECT_FALSE(IsAbsent(Of(kind), 0));
  }
  FieldDescriptor list = Of(FieldKind::kString);
  list.repeated = true;
  EXPECT_TRUE(IsAbsent(list, json::Value::MakeArray()));
  EXPECT_FALSE(IsAbsent(list, json::Value::MakeArray({""})));
  EXPECT_FALSE(IsAbsent(list, json::Value::MakeObject()));
  EXPECT_FALSE(IsAbsent(list, ""));
  FieldDescriptor map = Of(FieldKind::kString);
  map.map = true;
  EXPECT_TRUE(IsAbsent(map, json::Value::MakeObject()));
  EXPECT_FALSE(IsAbsent(map, json::Value::MakeObject({{"a", ""}})));
  EXPECT_FALSE(IsAbsent(map, json::Value::MakeArray()));
}

TEST(Scalars, ZeroValues_AreThoseOfGo) {
  struct Zero {
    FieldKind kind;
    const char* value;
  };
  for (const Zero& row :
       {Zero{FieldKind::kString, R"("")"}, Zero{FieldKind::kBool, "false"},
        Zero{FieldKind::kInt32, "0"}, Zero{FieldKind::kInt64, "0"}, Zero{FieldKind::kDouble, "0"},
        Zero{FieldKind::kIntOrString, "0"}, Zero{FieldKind::kQuantity, R"("0")"},
        Zero{FieldKind::kDuration, R"("0s")"}, Zero{FieldKind::kTime, "null"},
        Zero{FieldKind::kBytes, "null"}}) {
    FieldDescriptor field = Of(row.kind);
    EXPECT_EQ(ZeroOf(field).Dump(), row.value);
    field.pointer = true;
    EXPECT_EQ(ZeroOf(field).Dump(), "null");
    field.pointer = false;
    field.map = true;
    EXPECT_EQ(ZeroOf(field).Dump(), "null");
    field.map = false;
    field.repeated = true;
    EXPECT_EQ(ZeroOf(field).Dump(), "null");
  }
}

TEST(Scalars, Images_AreLatestWithoutTag) {
  for (const char* image :
       {"a", "a:latest", "r:5000/b/a", "r:5000/a:latest", "a:latest@sha256:0"}) {
    EXPECT_TRUE(IsLatestImage(image)) << image;
  }
  for (const char* image :
       {"", "a:1", "a@sha256:0", "r:5000/a:1", "r:latest/a:1", "a:", "a:1@s:latest"}) {
    EXPECT_FALSE(IsLatestImage(image)) << image;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
