// Formatters of std::format: compiled by test/interop/std_format with a standard library that has
// it, and with those few sources of kinformer that the values need. No GoogleTest: Debian's is for
// another standard library.

#include "kinformer/interop/format.h"

#include <cstdio>
#include <format>
#include <string>

#include "interop/public_values.h"

using namespace kinformer;           // NOLINT(google-build-using-namespace): a program
using namespace kinformer::testing;  // NOLINT(google-build-using-namespace): a program

int main() {
  const auto format = [](const auto& value) { return std::format("{}", value); };
  std::vector<TextRow> rows = RowsOfEnumerators(format);
  for (TextRow& row : RowsOfPlainValues(format)) rows.push_back(row);
  rows.push_back(
      {"width", std::format("[{:>15}]", ObjectName{"default", "web"}), "[    default/web]"});
  int wrong = 0;
  for (const TextRow& row : rows) {
    if (row.made == row.expected) continue;
    std::printf("%s: \"%s\", expected \"%s\"\n", row.type.c_str(), row.made.c_str(),
                row.expected.c_str());
    ++wrong;
  }
  std::printf("%zu texts, %d wrong\n", rows.size(), wrong);
  return wrong == 0 ? 0 : 1;
}
