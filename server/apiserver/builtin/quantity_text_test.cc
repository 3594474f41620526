// A real server keeps the text of a quantity where its parser takes the fast path. A leading plus
// shows which path that was: only the other one drops it.

#include <gtest/gtest.h>
#include <string>

#include "apiserver/builtin/defaults_scalars.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;

struct Row {
  const char* text;
  const char* single;
  // In a resource list, which counts whole thousandths; null: the same.
  const char* listed;
};

std::string Canonical(const char* text, bool listed) {
  FieldDescriptor field{.json_name = "field", .number = 1, .kind = FieldKind::kQuantity};
  field.map = listed;
  json::Value value = text;
  return CanonicalScalar(field, value) ? value.StringOrEmpty() : "-";
}

TEST(QuantityText, Decimals_StayUpToTheirLimits) {
  for (const Row& row : {
           Row{"+1", "+1", nullptr},
           Row{"+100", "+100", nullptr},
           Row{"+1000", "1k", nullptr},
           Row{"+10000", "10k", nullptr},
           Row{"+1001", "+1001", nullptr},
           // Up to 18 digits.
           Row{"+123456789012345678", "+123456789012345678", nullptr},
           Row{"+1234567890123456789", "1234567890123456789", nullptr},
           Row{"+0123456789012345678", "+0123456789012345678", nullptr},
           Row{"+123456789012345.678", "+123456789012345.678", nullptr},
           // Every suffix.
           Row{"+1m", "+1m", nullptr},
           Row{"+1u", "+1u", "1m"},
           Row{"+1n", "+1n", "1m"},
           Row{"+1k", "+1k", nullptr},
           Row{"+1M", "+1M", nullptr},
           Row{"+1G", "+1G", nullptr},
           Row{"+1T", "+1T", nullptr},
           Row{"+1P", "+1P", nullptr},
           Row{"+1E", "+1E", nullptr},
           Row{"+1e3", "+1e3", nullptr},
           Row{"+1E3", "+1E3", nullptr},
           Row{"+1e+3", "+1e+3", nullptr},
           Row{"+1e-3", "+1e-3", nullptr},
           Row{"+1e0", "+1e0", nullptr},
           // Only whole thousands and thousandths.
           Row{"+1e4", "10e3", nullptr},
           Row{"+1e5", "100e3", nullptr},
           Row{"+1.5", "1500m", nullptr},
           Row{"+1.25", "1250m", nullptr},
           Row{"+1.125", "+1.125", nullptr},
           Row{"+1.5k", "1500", nullptr},
           Row{"+1.125k", "+1.125k", nullptr},
           Row{"+1.125m", "+1.125m", "2m"},
           // Nothing that begins with 0 but a whole part.
           Row{"+0", "0", nullptr},
           Row{"+0.125", "125m", nullptr},
           Row{"+012", "+012", nullptr},
           Row{"-1", "-1", nullptr},
           Row{"-1000", "-1k", nullptr},
       }) {
    EXPECT_EQ(Canonical(row.text, false), row.single) << row.text;
    EXPECT_EQ(Canonical(row.text, true), row.listed == nullptr ? row.single : row.listed)
        << row.text;
  }
}

TEST(QuantityText, Binaries_StayUpToTheirLimits) {
  for (const Row& row : {
           Row{"+1Ki", "+1Ki", nullptr},
           Row{"+7Ki", "+7Ki", nullptr},
           Row{"+8Ki", "8Ki", nullptr},
           Row{"+9Ki", "+9Ki", nullptr},
           Row{"+12Ki", "+12Ki", nullptr},
           Row{"+16Ki", "16Ki", nullptr},
           Row{"+1024Ki", "1Mi", nullptr},
           Row{"+1.5Ki", "1536", nullptr},
           // The longer the suffix, the fewer digits.
           Row{"+12345678901Ki", "+12345678901Ki", nullptr},
           Row{"+123456789011Ki", "123456789011Ki", nullptr},
           Row{"+12345679Mi", "+12345679Mi", nullptr},
           Row{"+123456789Mi", "123456789Mi", nullptr},
           Row{"+12345Gi", "+12345Gi", nullptr},
           Row{"+123457Gi", "123457Gi", nullptr},
           Row{"+12Ti", "+12Ti", nullptr},
           Row{"+123Ti", "123Ti", nullptr},
           Row{"+1Pi", "1Pi", nullptr},
           Row{"+1Ei", "1Ei", nullptr},
       }) {
    EXPECT_EQ(Canonical(row.text, false), row.single) << row.text;
    EXPECT_EQ(Canonical(row.text, true), row.single) << row.text;
  }
}

// The most common quantities are canonical.
TEST(QuantityText, PlainText_StaysAsItIs) {
  for (const char* number :
       {"1", "2", "8", "9", "10", "16", "64", "99", "100", "128", "512", "999"}) {
    for (const char* suffix : {"", "m", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti"}) {
      const std::string text = std::string(number) + suffix;
      EXPECT_EQ(Canonical(text.c_str(), false), text);
      EXPECT_EQ(Canonical(text.c_str(), true), text);
    }
  }
}

}  // namespace
}  // namespace kinformer::apiserver
