// Formatters of {fmt}, which show the text of each public value that has one.

#include "kinformer/interop/fmt.h"

#include <cstddef>
#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "interop/further_values.h"
#include "interop/public_values.h"

namespace kinformer::testing {
namespace {

using ::testing::IsEmpty;

std::vector<TextRow> AllRows() {
  const auto format = [](const auto& value) { return fmt::format("{}", value); };
  std::vector<TextRow> rows = RowsOfEnumerators(format);
  for (const auto& more : {RowsOfPlainValues(format), RowsOfFurtherValues(format)}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

TEST(FmtFormatters, EachValue_HasTheTextThatItHasElsewhere) {
  for (const TextRow& row : AllRows()) EXPECT_EQ(row.made, row.expected) << row.type;
}

// Options that a program sets and does not print.
const char* const kOptions[] = {"AtStop",
                                "AuditLevel",
                                "AuthorizationMode",
                                "Compression",
                                "ConnectionPool",
                                "Cut",
                                "FaultAction",
                                "Field",
                                "FirstAsked",
                                "Format",
                                "InitialList",
                                "LimitPolicy",
                                "ManifestOrder",
                                "MetricsAccess",
                                "Operator",
                                "OverflowPolicy",
                                "Owners",
                                "RunnableGroup",
                                "State",
                                "Validation",
                                "WatchAs",
                                "Rep",
                                "Kind"};

// Base classes of the views, which have rows under names of their own.
const char* const kBases[] = {"RootView", "V"};

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the names that `pattern` finds, without their namespaces.
void Collect(const std::string& text, const std::regex& pattern, std::set<std::string>& names) {
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    const std::string name = (*at)[1];
    const std::size_t colons = name.rfind("::");
    names.insert(colons == std::string::npos ? name : name.substr(colons + 2));
  }
}

// Returns the types that are printed, have a ToString, or are enumerations.
std::set<std::string> TypesWithText() {
  static const std::regex kPrinted(R"(operator<<\(std::ostream& \w+, (?:const )?([\w:]+)&? \w+\))");
  static const std::regex kEnum(R"(enum class (\w+))");
  static const std::regex kType(R"(^(?:class|struct)(?: \[\[nodiscard\]\])? (\w+))");
  static const std::regex kText(R"(std::string ToString\(\) const)");
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(KINFORMER_PUBLIC_HEADERS)) {
    if (entry.path().extension() != ".h" || entry.path().parent_path().filename() == "internal") {
      continue;
    }
    std::string type;
    std::istringstream lines(Read(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      const std::size_t first = line.find_first_not_of(' ');
      if (first != std::string::npos && line.compare(first, 2, "//") == 0) continue;
      Collect(line, kPrinted, names);
      Collect(line, kEnum, names);
      std::smatch match;
      if (std::regex_search(line, match, kType)) type = match[1];
      if (std::regex_search(line, kText)) names.insert(type);
    }
  }
  return names;
}

TEST(FmtFormatters, PublicTypesWithATextOrNames_AllHaveARow) {
  std::set<std::string> missing = TypesWithText();
  EXPECT_GT(missing.size(), 40U) << "the headers were not read";
  for (const TextRow& row : AllRows()) missing.erase(row.type);
  for (const char* const name : kOptions) missing.erase(name);
  for (const char* const name : kBases) missing.erase(name);
  EXPECT_THAT(missing, IsEmpty())
      << "give each one a formatter (internal/public_text.h) and a row, or name it in kOptions";
}

TEST(FmtFormatters, WidthAndAlignment_AreThoseOfTexts) {
  EXPECT_EQ(fmt::format("[{:>15}]", ObjectName{"default", "web"}), "[    default/web]");
  EXPECT_EQ(fmt::format("[{:*<10.3}]", Reason::kNotFound), "[Not*******]");
  EXPECT_EQ(fmt::format("{}", std::vector<LogLevel>{LogLevel::kInfo, LogLevel::kOff}),
            "[info, off]");
}

// A type of the program's is none of the library's business.
struct OfTheProgram {};
static_assert(!internal::PublicValue<OfTheProgram>);
static_assert(!internal::PublicValue<std::string>);
static_assert(!internal::PublicValue<int>);
static_assert(fmt::is_formattable<ObjectName>::value);
static_assert(!fmt::is_formattable<OfTheProgram>::value);

}  // namespace
}  // namespace kinformer::testing
