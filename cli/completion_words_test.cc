#include "cli/completion_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace kinformer::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const PositionalHelp kResource{"RESOURCE", "what", true, true};

ProgramHelp Program() {
  const OptionHelp context{"--context", "NAME", "context"};
  const OptionHelp namespace_{"-n,--namespace", "NS", "namespace"};
  const OptionHelp all{"-A,--all-namespaces", "", "all"};
  return {.name = "tool",
          .options = {context, namespace_},
          .commands = {
              {.name = "get",
               .description = "gets",
               .positionals = {kResource},
               .options = {context,
                           namespace_,
                           all,
                           {"-o,--output", "wide|name", "form", {"wide", "name"}},
                           {"-f,--filename", "FILE", "a file"},
                           {"--token", "TOKEN", "a token"}}},
              {.name = "explain", .positionals = {{"RESOURCE", "", true, false}}},
              {.name = "logs", .positionals = {{"POD", "", true, false}}, .options = {namespace_}},
              {.name = "scale",
               .positionals = {{"RESOURCE", "", true, false}, {"NAME", "", true, false}}},
              {.name = "config",
               .positionals = {{"ACTION", "", true, false}, {"NAME", "", false, false}}},
              {.name = "raw", .positionals = {{"PATH", "", true, false}}},
              {.name = "replay", .positionals = {{"FILE", "", true, false}}},
              {.name = "init", .positionals = {{"DIR", "", true, false}}},
              {.name = "help", .positionals = {{"COMMAND", "", false, false}}}}};
}

// Answers with fixed names, and notes what it is asked.
class FixedNames final : public LiveNames {
 public:
  std::vector<Candidate> Contexts() override { return {{"home", ""}, {"work", ""}}; }
  std::vector<Candidate> Resources() override {
    return {{"pods", "Pod of v1"}, {"services", ""}, {"secrets", ""}};
  }
  std::vector<Candidate> Objects(const std::string& resource,
                                 const std::string& namespace_) override {
    asked.push_back(resource + " in " + namespace_);
    return {{"web-0", ""}, {"web-1", ""}, {"db", ""}};
  }
  std::vector<std::string> asked{};
};

struct Answer {
  std::vector<std::string> words{};
  std::vector<std::string> asked{};
  bool files = false;
  bool no_space = false;
};

Answer For(const std::vector<std::string>& words) {
  FixedNames names;
  const ProgramHelp program = Program();
  const Completion completion = Complete(program, ReadTyped(program, words), names);
  Answer answer{.asked = names.asked, .files = completion.files, .no_space = completion.no_space};
  for (const Candidate& candidate : completion.candidates) answer.words.push_back(candidate.word);
  return answer;
}

TEST(CompletionWords, CommandsStandFirst) {
  EXPECT_THAT(For({"e"}).words, ElementsAre("explain"));
  EXPECT_THAT(For({"-n", "x", "re"}).words, ElementsAre("replay"));
  EXPECT_THAT(For({"help", "g"}).words, ElementsAre("get"));
  EXPECT_THAT(For({""}).words.size(), Program().commands.size());
}

TEST(CompletionWords, OptionsAreThoseOfTheCommand) {
  EXPECT_THAT(For({"--"}).words, ElementsAre("--context", "--namespace", "--help", "--version"));
  EXPECT_THAT(For({"logs", "-"}).words, ElementsAre("-n", "--namespace", "--help"));
  EXPECT_THAT(For({"get", "--na"}).words, ElementsAre("--namespace"));
}

TEST(CompletionWords, ValuesOfOptionsAreCompleted) {
  EXPECT_THAT(For({"get", "-o", "w"}).words, ElementsAre("wide"));
  EXPECT_THAT(For({"get", "--output=n"}).words, ElementsAre("--output=name"));
  EXPECT_THAT(For({"get", "-on"}).words, ElementsAre("-oname"));
  EXPECT_THAT(For({"get", "--context", ""}).words, ElementsAre("home", "work"));
  EXPECT_THAT(For({"--context", "w"}).words, ElementsAre("work"));
  EXPECT_THAT(For({"get", "-n", "d"}).words, ElementsAre("db"));
  EXPECT_THAT(For({"get", "-n", ""}).asked, ElementsAre("namespaces in "));
  EXPECT_TRUE(For({"get", "-f", ""}).files);
  EXPECT_THAT(For({"get", "--token", ""}).words, IsEmpty());
  EXPECT_THAT(For({"get", "--nothing=a"}).words, IsEmpty());
}

TEST(CompletionWords, ResourcesComeBeforeNamesOfObjects) {
  EXPECT_THAT(For({"get", "se"}).words, ElementsAre("services", "secrets"));
  EXPECT_THAT(For({"get", "se"}).asked, IsEmpty());
  EXPECT_THAT(For({"get", "pods,ser"}).words, ElementsAre("pods,services"));
  EXPECT_THAT(For({"get", "pods", "w"}).words, ElementsAre("web-0", "web-1"));
  EXPECT_THAT(For({"get", "pods", "web-0", "w"}).words, ElementsAre("web-1"));
  EXPECT_THAT(For({"scale", "pods", "d"}).words, ElementsAre("db"));
  EXPECT_THAT(For({"explain", "p"}).words, ElementsAre("pods"));
  EXPECT_THAT(For({"explain", "pods/"}).words, IsEmpty());
}

TEST(CompletionWords, NamesOfObjectsStandBehindASlash) {
  EXPECT_THAT(For({"get", "pods/w"}).words, ElementsAre("pods/web-0", "pods/web-1"));
  EXPECT_THAT(For({"get", "pods/web-0", "pods/w"}).words, ElementsAre("pods/web-1"));
  const Answer next = For({"get", "pods/web-0", "ser"});
  EXPECT_THAT(next.words, ElementsAre("services/"));
  EXPECT_TRUE(next.no_space);
  EXPECT_FALSE(For({"get", "ser"}).no_space);
}

TEST(CompletionWords, NamespaceOfTheLineIsAsked) {
  EXPECT_THAT(For({"get", "pods", ""}).asked, ElementsAre("pods in "));
  EXPECT_THAT(For({"get", "pods", "-n", "a", ""}).asked, ElementsAre("pods in a"));
  EXPECT_THAT(For({"get", "-na", "-A", "pods", ""}).asked, ElementsAre("pods in a"));
  EXPECT_THAT(For({"--namespace=a", "logs", ""}).asked, ElementsAre("pods in a"));
}

TEST(CompletionWords, ConfigTakesContexts) {
  EXPECT_THAT(For({"config", "u"}).words, ElementsAre("use"));
  EXPECT_THAT(For({"config", "use", "h"}).words, ElementsAre("home"));
  EXPECT_THAT(For({"config", "view", ""}).words, IsEmpty());
}

TEST(CompletionWords, TooManyWordsAndUnknownCommandsHaveNone) {
  EXPECT_THAT(For({"logs", "a", ""}).words, IsEmpty());
  EXPECT_THAT(For({"nonsense", ""}).words, IsEmpty());
  EXPECT_THAT(For({"nonsense", "--na"}).words, IsEmpty());
  EXPECT_THAT(For({"raw", ""}).words, IsEmpty());
  EXPECT_TRUE(For({"replay", ""}).files);
  EXPECT_TRUE(For({"init", ""}).files);
  EXPECT_THAT(For({"get", "--", "po"}).words, ElementsAre("pods"));
  EXPECT_THAT(For({"get", "--", "-"}).words, IsEmpty());
}

TEST(CompletionWords, OptionsOfTheLineAreRead) {
  const ProgramHelp program = Program();
  const TypedLine typed =
      ReadTyped(program, {"--context", "work", "get", "-n=a", "--token=x", "-A", "pods", "w"});
  EXPECT_THAT(typed.values,
              ElementsAre(std::pair("all-namespaces", "true"), std::pair("context", "work"),
                          std::pair("namespace", "a"), std::pair("token", "x")));
  EXPECT_THAT(typed.positionals, ElementsAre("pods"));
  EXPECT_EQ(typed.last, "w");
}

TEST(CompletionWords, AnswerHasHelpBehindTabsAndALastLineForTheShell) {
  EXPECT_EQ(CompletionText({.candidates = {{"pods", "Pod\nof v1"}, {"a", ""}}}),
            "pods\tPod\\nof v1\na\n:words\n");
  EXPECT_EQ(CompletionText({.files = true}), ":files\n");
  EXPECT_EQ(CompletionText({.no_space = true}), ":nospace\n");
}

}  // namespace
}  // namespace kinformer::cli
