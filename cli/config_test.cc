// kinformer config, on files.

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "cli/commands.h"

namespace kinformer::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kText[] = R"(# Mine.
current-context: a
clusters:
- {name: k, cluster: {server: "https://k"}}
users:
- {name: u, user: {token: SECRET}}
- {name: bad, user: {token: SECRET, password: SECRET}}
contexts:
- {name: a, context: {cluster: k, user: u, namespace: team}}
- {name: b, context: {cluster: k, user: bad}}
)";

class ConfigCommand : public ::testing::Test {
 protected:
  ConfigCommand()
      : path_(std::filesystem::temp_directory_path() /
              ("kinformer-cli-config-" + std::to_string(getpid()))) {
    Write(kText);
  }
  ~ConfigCommand() override { std::filesystem::remove(path_); }

  void Write(const std::string& text) const { std::ofstream(path_) << text; }
  [[nodiscard]] std::string Read() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  int Call(std::vector<std::string> arguments) {
    CommandLine line("test", "kinformer 1.2.3");
    RegisterConfig(line);
    arguments.insert(arguments.begin(), {"kinformer", "config", "--kubeconfig", path_.string()});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = line.Run(static_cast<int>(argv.size()), argv.data());
    errors_ = ::testing::internal::GetCapturedStderr();
    output_ = ::testing::internal::GetCapturedStdout();
    return status;
  }

  const std::filesystem::path path_;
  std::string output_;
  std::string errors_;
};

TEST_F(ConfigCommand, View_HidesSecrets_UnlessTheyAreAskedFor) {
  EXPECT_EQ(Call({"view"}), 0);
  EXPECT_THAT(output_, HasSubstr("token: REDACTED"));
  EXPECT_EQ(output_.find("SECRET"), std::string::npos);
  EXPECT_EQ(Call({"view", "--minify", "--raw"}), 0);
  EXPECT_THAT(output_, HasSubstr("token: SECRET"));
  EXPECT_EQ(output_.find("name: bad"), std::string::npos);
  EXPECT_EQ(Call({"view", "--minify", "--context", "b"}), 0);
  EXPECT_THAT(output_, HasSubstr("name: bad"));
  EXPECT_EQ(Call({"view", "--minify", "--context", "c"}), kFailure);
  EXPECT_THAT(errors_, HasSubstr("context \"c\" does not exist"));
}

TEST_F(ConfigCommand, Contexts_AreATableThatMarksTheCurrentOne) {
  EXPECT_EQ(Call({"contexts"}), 0);
  EXPECT_EQ(output_,
            "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n"
            "*         a      k         u          team\n"
            "          b      k         bad        \n");
}

TEST_F(ConfigCommand, Use_ChangesOneLineOfTheFile) {
  EXPECT_EQ(Call({"use", "b"}), 0);
  EXPECT_EQ(output_, "Switched to context \"b\".\n");
  std::string want = kText;
  want.replace(want.find("current-context: a"), 18, "current-context: b");
  EXPECT_EQ(Read(), want);
  EXPECT_EQ(Call({"use", "c"}), kFailure);
  EXPECT_THAT(errors_, HasSubstr("context \"c\" does not exist"));
  EXPECT_EQ(Read(), want);
}

TEST_F(ConfigCommand, TheWordsOfKubectl_MeanTheSame) {
  EXPECT_EQ(Call({"current-context"}), 0);
  EXPECT_EQ(output_, "a\n");
  EXPECT_EQ(Call({"get-contexts", "-o", "name"}), 0);
  EXPECT_EQ(output_, "a\nb\n");
  EXPECT_EQ(Call({"use-context", "b"}), 0);
  EXPECT_EQ(output_, "Switched to context \"b\".\n");
  EXPECT_EQ(Call({"current-context"}), 0);
  EXPECT_EQ(output_, "b\n");
  Write("contexts: []");
  EXPECT_EQ(Call({"current-context"}), kFailure);
  EXPECT_THAT(errors_, HasSubstr("error: current-context is not set"));
}

TEST_F(ConfigCommand, Check_NamesProblems_WithoutSecrets) {
  EXPECT_EQ(Call({"check"}), kFailure);
  EXPECT_THAT(output_, HasSubstr("* a: ok\n  b: invalid configuration: user \"bad\""));
  EXPECT_EQ(output_.find("SECRET"), std::string::npos);
  Write(
      "contexts: [{name: a, context: {cluster: k, user: u}}]\nusers: [{name: u}]\n"
      "clusters: [{name: k, cluster: {server: s}}]\n");
  EXPECT_EQ(Call({"check"}), 0);
  EXPECT_EQ(output_,
            "  a: ok\nno context is current; choose one with `kinformer config use NAME`\n");
  Write("current-context: a");
  EXPECT_EQ(Call({"check"}), kFailure);
  EXPECT_THAT(errors_, HasSubstr("context \"a\" does not exist"));
  Write("");
  EXPECT_EQ(Call({"check"}), kFailure);
  EXPECT_THAT(errors_, HasSubstr("no configuration has been provided"));
}

TEST_F(ConfigCommand, WrongWords_AreUsageErrors) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"use"}, {"view", "b"}, {"show"}, {}}) {
    EXPECT_EQ(Call(words), kUsageError);
    EXPECT_THAT(errors_, HasSubstr("error: "));
  }
}

}  // namespace
}  // namespace kinformer::cli
