#include "cli/kubectl_habits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

using testing::HasSubstr;

// Returns the usage error of a command line.
std::string ErrorOf(std::vector<std::string> arguments) {
  CommandLine line("test", "kinformer 1.2.3");
  AddCommandHabits(line);
  AddReadingHabits(line.Add("get", "gets"));
  AddServerHabits(line.Add("apiserver", "serves"));
  arguments.insert(arguments.begin(), "kinformer");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  testing::internal::CaptureStderr();
  EXPECT_EQ(line.Run(static_cast<int>(argv.size()), argv.data()), kUsageError);
  return testing::internal::GetCapturedStderr();
}

TEST(KubectlHabits, OptionsOfGet_AreAnsweredInWords) {
  for (const auto& [option, want] :
       std::vector<std::pair<const char*, const char*>>{{"-k", "-f FILE"},
                                                        {"--as=bob", "kubeconfig"},
                                                        {"--user=bob", "--context"},
                                                        {"--raw=/api", "kinformer raw PATH"},
                                                        {"--request-timeout=5s", "timeout 5s"}}) {
    const std::string error = ErrorOf({"get", option});
    EXPECT_THAT(error, HasSubstr(want));
    EXPECT_THAT(error, HasSubstr("See kinformer get --help"));
  }
}

TEST(KubectlHabits, OptionsOfServers_AreAnsweredInWords) {
  for (const auto& [option, want] : std::vector<std::pair<const char*, const char*>>{
           {"-f", "--load FILE"},
           {"--port=8080", "--listen 127.0.0.1:PORT"},
           {"--kubeconfig=x", "--kubeconfig-out FILE"},
           {"--bind-address=0.0.0.0", "--listen ADDRESS:PORT"}}) {
    EXPECT_THAT(ErrorOf({"apiserver", option}), HasSubstr(want));
  }
}

TEST(KubectlHabits, CommandsOfKubectl_AreAnsweredInWords) {
  EXPECT_THAT(ErrorOf({"edit", "pod", "x"}), HasSubstr("kubectl does that"));
  EXPECT_THAT(ErrorOf({"wach", "a"}), HasSubstr("is no command"));
}

TEST(KubectlHabits, FormsThatDoNotExist_AreAnsweredInWords) {
  EXPECT_EQ(OutputHabit("yml"), "write yaml");
  EXPECT_THAT(OutputHabit("jq=.items"), HasSubstr("with jq"));
  EXPECT_EQ(OutputHabit("xml"), "");
}

}  // namespace
}  // namespace kinformer::cli
