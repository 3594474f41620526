#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// A command line with two commands, of which only `get` has the option for a context.
struct Trial {
  std::string context{};
  std::string format{};
  std::string resource{};
  std::vector<std::string> resources{};
  std::vector<std::string> headers{};
  std::vector<std::string> hidden{};
  std::optional<std::string> group{};
  std::optional<bool> namespaced{};
  std::string simulated{};
  std::vector<std::string> labels{};
  bool insecure = false;
  double seconds = 0;
  bool ran = false;
  int status = -1;
  std::string output{};
  std::string errors{};
};

Trial RunLine(std::vector<std::string> arguments) {
  Trial t;
  CommandLine line("test", "kinformer 1.2.3");
  line.Global("-c,--context", "NAME", "context");
  line.GlobalFlag("--insecure", "insecure");
  Command& get = line.Add("get", "gets");
  get.Option("-c,--context", t.context, "NAME", "context");
  get.Choice("-o,--output", t.format, {"json", "yaml"}, "format", [](std::string_view given) {
    return std::string(given == "jsonpath" ? "take jq" : "");
  });
  get.Elsewhere("-f,--filename", "name it");
  line.Elsewhere("apply", "another program does that");
  get.Flag("-i,--insecure", t.insecure, "insecure");
  get.Seconds("--for", t.seconds, "how long");
  get.Each("-H,--header", t.headers, "HEADER", "headers");
  get.Option("--group", t.group, "GROUP", "group");
  get.Flag("--namespaced", t.namespaced, "namespaced");
  get.FlagOrValue("--simulate", t.simulated, "simulate; --simulate=FILE: as FILE says");
  get.Status(3, "nothing is there");
  get.Positional("RESOURCE", t.resource, /*required=*/true, "what");
  get.Run([&] {
    t.ran = true;
    return 0;
  });
  Command& list = line.Add("list", "lists");
  list.Option("-c,--context", t.context, "NAME", "context");
  list.Positionals("RESOURCES", t.resources, "what");
  list.Run([] { return 0; });
  Command& serve = line.Add("serve", "serves");
  serve.Each("-L,--label", t.labels, "LABEL", "labels");
  serve.Positionals("RESOURCES", t.resources, "what", /*required=*/false);
  serve.Run([&] {
    t.ran = true;
    return 0;
  });
  line.Hidden("__names", [&](const std::vector<std::string>& words) {
    t.hidden = words;
    return 7;
  });
  arguments.insert(arguments.begin(), "kinformer");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  t.status = line.Run(static_cast<int>(argv.size()), argv.data());
  t.errors = testing::internal::GetCapturedStderr();
  t.output = testing::internal::GetCapturedStdout();
  return t;
}

TEST(CommandLine, FlagOrValue_TakesAValueOnlyBehindItsSign) {
  EXPECT_EQ(RunLine({"get", "pods"}).simulated, "");
  EXPECT_EQ(RunLine({"get", "--simulate", "pods"}).simulated, "true");
  const Trial given = RunLine({"get", "--simulate=a.yaml", "pods"});
  EXPECT_EQ(given.simulated, "a.yaml");
  EXPECT_EQ(given.resource, "pods");
}

TEST(CommandLine, OptionsStandBeforeOrAfterTheCommand) {
  const std::vector<std::string> kSame[] = {
      {"--context", "a", "--insecure", "get", "pods"},
      {"--context=a", "get", "--insecure", "pods"},
      {"-c", "a", "get", "pods", "--insecure"},
      {"get", "-c", "a", "--insecure", "pods"},
      {"get", "pods", "--insecure", "--context=a"},
      {"-c", "b", "get", "pods", "-c", "a", "--insecure"},
      {"-c", "b", "-c", "a", "--insecure", "get", "pods"},
      {"get", "pods", "-c", "b", "--insecure", "-c", "a"},
  };
  for (const auto& arguments : kSame) {
    const Trial t = RunLine(arguments);
    EXPECT_EQ(t.status, 0) << t.errors;
    EXPECT_TRUE(t.ran);
    EXPECT_EQ(t.context, "a") << testing::PrintToString(arguments);
    EXPECT_TRUE(t.insecure) << testing::PrintToString(arguments);
    EXPECT_EQ(t.resource, "pods");
  }
}

TEST(CommandLine, Mistakes_AreOneLineAndStatus2) {
  const struct {
    std::vector<std::string> arguments;
    const char* want;
  } kCases[] = {
      {{}, "which command? There are get, list, serve. See kinformer --help"},
      {{"gte"}, "\"gte\" is no command; there are get, list, serve. See kinformer --help"},
      {{"--nonsense"}, "unknown option --nonsense"},
      {{"--nonsense=1", "get", "pods"}, "unknown option --nonsense. See"},
      {{"get", "pods", "--nonsense", "x"}, "unknown option --nonsense. See kinformer get --help"},
      {{"get", "pods", "x"}, "unexpected argument \"x\""},
      {{"get"}, "RESOURCE is required"},
      {{"get", "pods", "-c"}, "--context needs a value behind it: NAME. See kinformer get"},
      {{"get", "pods", "-o", "xml"}, "\"xml\" is none of json|yaml"},
      {{"get", "pods", "--for", "soon"}, "\"soon\" is no duration"},
      {{"get", "pods", "--for", "900000h"}, "\"900000h\" is too long"},
      {{"get", "pods", "--for", "infs"}, "\"infs\" is no duration"},
      {{"--context", "a", "serve"}, "serve has no option --context"},
      {{"get", "pods", "-o", "jsonpath"}, "\"jsonpath\" is none of json|yaml; take jq. See"},
      {{"get", "-f", "x"}, "unknown option -f; name it. See kinformer get"},
      {{"get", "-fx", "y"}, "unknown option -fx; name it. See kinformer get"},
      {{"get", "x", "--filename=y"}, "unknown option --filename; name it. See kinformer get"},
      {{"list", "x", "-f", "y"}, "unknown option -f. See kinformer list"},
      {{"get", "x", "--contxt", "y"}, "unknown option --contxt; did you mean --context? See"},
      {{"--contxt=y", "get", "x"}, "unknown option --contxt; did you mean --context? See"},
      {{"apply", "x"}, "there are get, list, serve; another program does that. See kinformer"},
      {{"serv"}, "there are get, list, serve; did you mean serve? See kinformer --help"},
  };
  for (const auto& c : kCases) {
    const Trial t = RunLine(c.arguments);
    EXPECT_EQ(t.status, kUsageError) << c.want;
    EXPECT_FALSE(t.ran) << c.want;
    EXPECT_THAT(t.errors, HasSubstr(c.want));
    EXPECT_EQ(t.errors.rfind("error: ", 0), 0U) << t.errors;
    EXPECT_EQ(t.errors.find('\n'), t.errors.size() - 1) << t.errors;
  }
}

// Like pflag, "=" may follow an option of one letter, too.
TEST(CommandLine, ValuesBehindOneLetter) {
  for (const auto& arguments : {std::vector<std::string>{"-c=a", "get", "pods", "-i=false"},
                                {"get", "pods", "-c=b", "-i", "-c=a", "-i=false"},
                                {"get", "-o=json", "pods", "-c=a", "--insecure=false"}}) {
    const Trial t = RunLine(arguments);
    EXPECT_EQ(t.status, 0) << t.errors;
    EXPECT_EQ(t.context, "a");
    EXPECT_FALSE(t.insecure);
  }
  EXPECT_EQ(RunLine({"get", "--", "-c=a"}).resource, "-c=a");
  EXPECT_TRUE(RunLine({"get", "pods", "-i=true"}).insecure);
  EXPECT_EQ(RunLine({"get", "pods", "-i=maybe"}).status, kUsageError);
}

TEST(CommandLine, ArgumentsBehindTwoDashesBelongToTheCommandThatIsRun) {
  std::string target;
  std::vector<std::string> words;
  std::vector<std::string> rest;
  CommandLine line("test", "kinformer 1.2.3");
  line.Add("get", "gets").Run([] { return 1; });
  Command& exec = line.Add("exec", "runs");
  exec.Positional("POD", target, /*required=*/true, "where");
  exec.Positionals("COMMAND", rest, "what", /*required=*/false);
  exec.Each("--word", words, "WORD", "words");
  exec.Run([] { return 0; });
  std::vector<std::string> arguments{"kinformer", "exec", "--word", "a",  "web-0", "--word",
                                     "b",         "--",   "get",    "-l", "--help"};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  EXPECT_EQ(line.Run(static_cast<int>(argv.size()), argv.data()), 0);
  EXPECT_EQ(target, "web-0");
  EXPECT_THAT(words, testing::ElementsAre("a", "b"));
  EXPECT_THAT(rest, testing::ElementsAre("get", "-l", "--help"));
}

TEST(CommandLine, SeveralPositionals) {
  const Trial t = RunLine({"list", "pods", "-c", "x", "get", "serve"});
  EXPECT_EQ(t.status, 0) << t.errors;
  EXPECT_EQ(t.resources, (std::vector<std::string>{"pods", "get", "serve"}));
  EXPECT_EQ(RunLine({"list"}).status, kUsageError);
}

TEST(CommandLine, AListTakesOneValueEachTime) {
  const Trial t = RunLine({"serve", "-L", "a", "pods", "--label=b,c", "-L=d", "nodes"});
  EXPECT_EQ(t.status, 0) << t.errors;
  EXPECT_EQ(t.labels, (std::vector<std::string>{"a", "b,c", "d"}));
  EXPECT_EQ(t.resources, (std::vector<std::string>{"pods", "nodes"}));
  EXPECT_EQ(RunLine({"serve"}).status, 0);
}

TEST(CommandLine, HelpAndVersion) {
  EXPECT_EQ(RunLine({"--version"}).output, "kinformer 1.2.3\n");
  EXPECT_EQ(RunLine({"help"}).output, RunLine({"--help"}).output);
  EXPECT_THAT(RunLine({"help"}).output, HasSubstr("Usage: kinformer [OPTIONS]"));
  EXPECT_EQ(RunLine({"help", "get"}).output, RunLine({"get", "--help"}).output);
  EXPECT_THAT(RunLine({"help", "get"}).output, HasSubstr("Usage: kinformer get "));
  EXPECT_EQ(RunLine({"help", "get"}).status, 0);
  EXPECT_EQ(RunLine({"help", "gte"}).status, kUsageError);
  EXPECT_THAT(RunLine({"help", "gte"}).errors, HasSubstr("\"gte\" is no command"));
}

TEST(CommandLine, HelpSaysTheExitStatusesOfTheCommand) {
  const std::string usual =
      "  0   success\n  1   failure; standard error says why\n"
      "  2   usage error: the command line is wrong\n";
  EXPECT_THAT(RunLine({"help", "list"}).output, EndsWith("\nExit status:\n" + usual));
  EXPECT_THAT(RunLine({"help", "get"}).output,
              EndsWith("\nExit status:\n" + usual + "  3   nothing is there\n"));
  EXPECT_THAT(RunLine({"help"}).output, EndsWith("\nExit status:\n" + usual));
  const std::string help = RunLine({"help", "get"}).output;
  EXPECT_EQ(help.find("Exit status"), help.rfind("Exit status"));
}

TEST(CommandLine, HelpWritesThePagesOfTheManual) {
  EXPECT_THAT(RunLine({"help", "--man"}).output, HasSubstr(".TH \"KINFORMER\" 1"));
  EXPECT_THAT(RunLine({"help", "get", "--man"}).output, HasSubstr(".TH \"KINFORMER-GET\" 1"));
  EXPECT_THAT(RunLine({"help", "help"}).output, HasSubstr("Usage: kinformer help "));
  EXPECT_EQ(RunLine({"help", "--man-directory", "/dev/null/x"}).status, kFailure);
}

TEST(CommandLine, HiddenCommandGetsItsArgumentsAsTheyAre) {
  const Trial t = RunLine({"__names", "get", "--", "-n", "--nonsense"});
  EXPECT_EQ(t.status, 7);
  EXPECT_THAT(t.hidden, ElementsAre("get", "--", "-n", "--nonsense"));
  EXPECT_THAT(RunLine({"--help"}).output, Not(HasSubstr("__names")));
  EXPECT_THAT(RunLine({"nonsense"}).errors, Not(HasSubstr("__names")));
}

TEST(CommandLine, FlagTellsItsAbsenceFromFalse) {
  EXPECT_EQ(RunLine({"get", "pods"}).namespaced, std::nullopt);
  EXPECT_EQ(RunLine({"get", "pods", "--namespaced"}).namespaced, true);
  EXPECT_EQ(RunLine({"get", "pods", "--namespaced=false"}).namespaced, false);
}

TEST(CommandLine, OptionGivenAgainAndAgainTakesOneValueEach) {
  const Trial t = RunLine({"get", "-H", "a: b", "pods", "--header=c: d"});
  EXPECT_EQ(t.status, 0) << t.errors;
  EXPECT_THAT(t.headers, ElementsAre("a: b", "c: d"));
  EXPECT_EQ(t.resource, "pods");
}

TEST(CommandLine, ValueBehindEqualsMayBeEmpty) {
  const Trial t = RunLine({"get", "--group=", "pods"});
  EXPECT_EQ(t.status, 0) << t.errors;
  EXPECT_EQ(t.group, "");
  EXPECT_EQ(t.resource, "pods");
  EXPECT_EQ(RunLine({"get", "-c=", "pods"}).resource, "pods");
  EXPECT_EQ(RunLine({"get", "--", "--group="}).resource, "--group=");
}

TEST(CommandLine, DescriptionHasAllCommandsWithTheirOptions) {
  CommandLine line("test", "kinformer 1.2.3");
  line.Global("-c,--context", "NAME", "context");
  std::string output;
  std::vector<std::string> resources;
  Command& get = line.Add("get", "gets");
  get.Choice("-o,--output", output, {"json", "yaml"}, "format", nullptr);
  get.Positionals("RESOURCES", resources, "what");
  const ProgramHelp help = line.Describe();
  EXPECT_EQ(help.version, "kinformer 1.2.3");
  ASSERT_EQ(help.options.size(), 1U);
  EXPECT_EQ(help.options[0].names, "-c,--context");
  ASSERT_EQ(help.commands.size(), 2U);
  EXPECT_EQ(help.commands[0].description, "gets");
  EXPECT_EQ(help.commands[0].options[0].value, "json|yaml");
  EXPECT_THAT(help.commands[0].options[0].choices, ElementsAre("json", "yaml"));
  EXPECT_TRUE(help.commands[0].positionals[0].repeated);
  EXPECT_EQ(help.commands[1].name, "help");
}

TEST(CommandLine, Durations) {
  EXPECT_EQ(RunLine({"get", "pods", "--for", "1m30s"}).seconds, 90);
  EXPECT_EQ(RunLine({"get", "pods", "--for", "250ms"}).seconds, 0.25);
}

}  // namespace
}  // namespace kinformer::cli
