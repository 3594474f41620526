#include "cli/manual.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace kinformer::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

ProgramHelp Program() {
  return {.name = "tool",
          .description = "does things",
          .version = "tool 1.2.3",
          .options = {{"-c,--context", "NAME", "the context"}},
          .commands = {{.name = "get",
                        .description = "Gets \\ things",
                        .positionals = {{"THING", ".hidden and 'quoted'", true, true},
                                        {"PLACE", "where", false, false}},
                        .options = {{"-o,--output", "wide|name", "form"}, {"--all", "", "all"}},
                        .statuses = {{0, "fine"}, {3, "nothing there"}}},
                       {.name = "help", .description = "Helps"}},
          .statuses = {{0, "success"}}};
}

TEST(Manual, PageOfACommandHasItsArgumentsOptionsAndStatuses) {
  const ProgramHelp program = Program();
  EXPECT_EQ(ManualPage(program, program.commands.front()),
            R"(.TH "TOOL-GET" 1 "" "tool 1.2.3" "tool"
.SH NAME
tool\-get \- Gets \e things
.SH SYNOPSIS
\fBtool get\fR [\fIOPTIONS\fR] \fITHING\fR... [\fIPLACE\fR]
.SH ARGUMENTS
.TP
\fITHING\fR
\&.hidden and 'quoted'
.TP
\fIPLACE\fR
where
.SH OPTIONS
.TP
\fB\-o\fR, \fB\-\-output\fR \fIwide|name\fR
form
.TP
\fB\-\-all\fR
all
.SH EXIT STATUS
.TP
\fB0\fR
fine
.TP
\fB3\fR
nothing there
.SH SEE ALSO
\fBtool\fR(1)
)");
}

TEST(Manual, CommandWithoutArgumentsHasNoSectionsForThem) {
  const ProgramHelp program = Program();
  const std::string page = ManualPage(program, program.commands.back());
  EXPECT_THAT(page, HasSubstr("\\fBtool help\\fR\n.SH EXIT STATUS"));
  EXPECT_THAT(page, Not(HasSubstr("OPTIONS")));
}

TEST(Manual, PageOfTheProgramListsItsCommands) {
  const std::string page = ManualPage(Program());
  EXPECT_THAT(page, HasSubstr(".TH \"TOOL\" 1"));
  EXPECT_THAT(page, HasSubstr(".TP\n\\fBget\\fR\nGets \\e things\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-c\\fR, \\fB\\-\\-context\\fR \\fINAME\\fR\nthe context\n"));
  EXPECT_THAT(page, HasSubstr("\\fB0\\fR\nsuccess\n"));
  EXPECT_THAT(page, HasSubstr("\\fBtool\\-help\\fR(1)\n"));
}

TEST(Manual, EachPageIsAFileOfTheFolder) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "kinformer-manual" / "man1";
  ASSERT_TRUE(WriteManual(Program(), folder.string()));
  std::ifstream file(folder / "tool-get.1");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), ManualPage(Program(), Program().commands.front()));
  EXPECT_TRUE(std::filesystem::exists(folder / "tool.1"));
  EXPECT_TRUE(std::filesystem::exists(folder / "tool-help.1"));
  std::filesystem::remove_all(folder.parent_path());
}

TEST(Manual, FolderThatCannotBeWrittenIsNamed) {
  const Result<void> written = WriteManual(Program(), "/dev/null/man1");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message(), HasSubstr("/dev/null/man1/tool"));
}

}  // namespace
}  // namespace kinformer::cli
