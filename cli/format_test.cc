#include "cli/format.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Form = Format::Form;

json::Value Object() { return json::Parse(R"({"kind":"Pod","b":[1,2]})").OrExit(); }

// Returns what a document is printed as, or the error.
std::string Printed(const FormatFlags& flags) {
  const Result<Format> format = ReadFormat(flags);
  if (!format) return std::string(format.error().message());
  const Result<std::string> text = DocumentPrinter(*format).Print(Object());
  return text ? *text : std::string(text.error().message());
}

// A file that is removed at the end.
class File {
 public:
  explicit File(const std::string& text) : path_(testing::TempDir() + "format_test_file") {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

TEST(Format, Documents_ArePrintedInEachForm) {
  EXPECT_EQ(Printed({.output = "yaml"}), "b:\n- 1\n- 2\nkind: Pod\n");
  EXPECT_THAT(Printed({.output = "json"}), HasSubstr("    \"kind\": \"Pod\"\n}\n"));
  EXPECT_EQ(Printed({.output = "jsonpath={.kind} {.b[1]}"}), "Pod 2");
  EXPECT_EQ(Printed({.output = "jsonpath-as-json={.b[*]}"}), "[\n    1,\n    2\n]\n");
  EXPECT_EQ(Printed({.output = "go-template={{.kind}}{{.b}}"}), "Pod[1 2]");
  EXPECT_EQ(Printed({.output = "template={{.kind}}"}), "Pod");
  EXPECT_EQ(Printed({.output = "jsonpath", .template_ = "{.kind}"}), "Pod");
  EXPECT_EQ(Printed({.template_ = "{{.kind}}"}), "Pod");
}

TEST(Format, YamlDocuments_AreSetApart) {
  const Format format = ReadFormat({.output = "yaml"}).OrExit();
  DocumentPrinter printer(format);
  EXPECT_EQ(printer.Print(Object()).value_or(""), "b:\n- 1\n- 2\nkind: Pod\n");
  EXPECT_EQ(printer.Print(Object()).value_or(""), "---\nb:\n- 1\n- 2\nkind: Pod\n");
}

TEST(Format, Files_HoldTemplates) {
  const File path("{.kind}\n");
  EXPECT_EQ(Printed({.output = "jsonpath-file=" + path.path()}), "Pod\n");
  EXPECT_EQ(Printed({.output = "jsonpath-file", .template_ = path.path()}), "Pod\n");
  const File columns("A B\n.a .b\n");
  EXPECT_THAT(ReadFormat({.output = "custom-columns-file=" + columns.path()})->columns->titles(),
              ElementsAre("A", "B"));
  const File go("{{.kind}}");
  EXPECT_EQ(Printed({.output = "go-template-file=" + go.path()}), "Pod");
  const Result<Format> missing = ReadFormat({.output = "go-template-file=/nowhere/x"});
  EXPECT_EQ(missing.error().reason(), Reason::kConfig);
  EXPECT_THAT(missing.error().message(), HasSubstr("/nowhere/x"));
}

TEST(Format, MissingKeys_FailIfAsked) {
  EXPECT_EQ(Printed({.output = "jsonpath={.x}"}), "");
  EXPECT_EQ(Printed({.output = "go-template={{.x}}"}), "<no value>");
  EXPECT_THAT(Printed({.output = "jsonpath={.x}", .allow_missing_template_keys = false}),
              HasSubstr("x is not found"));
  EXPECT_THAT(Printed({.output = "go-template={{.x}}", .allow_missing_template_keys = false}),
              HasSubstr("no member x"));
}

TEST(Format, Labels_AreSplitAtCommas) {
  const Format format = ReadFormat({.label_columns = {"a,b", "c", ","}}).OrExit();
  EXPECT_THAT(format.label_columns, ElementsAre("a", "b", "c"));
  EXPECT_EQ(format.form, Form::kTable);
  EXPECT_TRUE(format.is_table());
}

TEST(Format, ManagedFields_AreKeptForTemplates) {
  EXPECT_FALSE(ReadFormat({.output = "json"})->keeps_managed_fields());
  EXPECT_TRUE(ReadFormat({.output = "json", .show_managed_fields = true})->keeps_managed_fields());
  EXPECT_TRUE(ReadFormat({.output = "jsonpath={.a}"})->keeps_managed_fields());
  EXPECT_TRUE(ReadFormat({.output = "custom-columns=A:.a"})->keeps_managed_fields());
  EXPECT_TRUE(ReadFormat({.output = "go-template=a"})->keeps_managed_fields());
}

TEST(Format, Mistakes_SayWhatToWrite) {
  const struct {
    FormatFlags flags;
    const char* want;
  } kCases[] = {
      {{.output = "table"}, "\"table\" is none of wide|name|json|yaml|jsonpath=..."},
      {{.output = "yml"}, "; write yaml"},
      {{.output = "jsonpaht={.a}"}, "did you mean jsonpath?"},
      {{.output = "json=x"}, "-o json takes no value"},
      {{.output = "jsonpath"}, "-o jsonpath needs a template: write -o jsonpath=..."},
      {{.output = "custom-columns="}, "-o custom-columns needs a template"},
      {{.output = "jsonpath-file="}, "-o jsonpath-file needs a file"},
      {{.output = "jsonpath={.a"}, "-o jsonpath: at 1: a brace is not closed"},
      {{.output = "go-template={{.a"}, "-o go-template: line 1, column 1: "},
      {{.output = "custom-columns=A"}, "-o custom-columns: custom column \"A\""},
      {{.output = "json", .template_ = "x"}, "--template does not go with -o json"},
      {{.output = "name", .show_labels = true}, "--show-labels adds to tables"},
  };
  for (const auto& c : kCases) {
    const Result<Format> format = ReadFormat(c.flags);
    ASSERT_FALSE(format.ok()) << c.want;
    EXPECT_EQ(format.error().reason(), Reason::kInvalidArgument) << c.want;
    EXPECT_THAT(std::string(format.error().message()), HasSubstr(c.want));
  }
}

}  // namespace
}  // namespace kinformer::cli
