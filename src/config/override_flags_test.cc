// kubectl's flags that override a configuration.

#include <cstddef>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/clientcmd_flags.h"

namespace kinformer::clientcmd {
namespace {

// The arguments of a main, behind the program's name.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    words_.insert(words_.begin(), "program");
    for (std::string& word : words_) argv_.push_back(word.data());
    argv_.push_back(nullptr);
    argc_ = static_cast<int>(words_.size());
  }
  Result<ConfigOverrides> Take() { return TakeOverrideFlags(argc_, argv_.data()); }
  [[nodiscard]] std::string Rest() const {
    const auto count = static_cast<std::size_t>(argc_);
    std::string out;
    for (std::size_t i = 1; i < count; ++i) out += (i > 1 ? " " : "") + std::string(argv_[i]);
    EXPECT_EQ(argv_[count], nullptr);
    EXPECT_STREQ(argv_[0], "program");
    return out;
  }

 private:
  std::vector<std::string> words_;
  std::vector<char*> argv_;
  int argc_ = 0;
};

TEST(NamespaceFlagValue, LosesTheKindBeforeIt_KC45) {
  const std::pair<const char*, const char*> rows[] = {
      {"ns/foo", "foo"},
      {"namespace/foo", "foo"},
      {"NAMESPACES/foo", "foo"},
      {"ns/", ""},
      {"foo", "foo"},
      {"", ""},
      {"pods/foo", "pods/foo"},
      {"ns/a/b", "a/b"},
  };
  for (const auto& [given, want] : rows) EXPECT_EQ(NamespaceFlagValue(given), want) << given;
}

TEST(TakeOverrideFlags, ReadsEachFlag) {
  Arguments arguments({"--kubeconfig=1",
                       "--context",
                       "2",
                       "--cluster=3",
                       "--user=4",
                       "-n",
                       "ns/5",
                       "-s=6",
                       "--tls-server-name=7",
                       "--insecure-skip-tls-verify",
                       "--certificate-authority=8",
                       "--client-certificate=9",
                       "--client-key=10",
                       "--token=11",
                       "--username=12",
                       "--password=13",
                       "--as=14",
                       "--as-uid=15",
                       "--as-group=16",
                       "--as-group",
                       "17",
                       "--as-user-extra=k=18",
                       "--as-user-extra=k=x=y",
                       "--proxy-url=19",
                       "--disable-compression=false",
                       "--request-timeout=20"});
  const auto got = arguments.Take();
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(arguments.Rest(), "");
  EXPECT_EQ(got->kubeconfig, "1");
  EXPECT_EQ(got->context, "2");
  EXPECT_EQ(got->cluster, "3");
  EXPECT_EQ(got->user, "4");
  EXPECT_EQ(got->namespace_, "5");
  EXPECT_EQ(got->server, "6");
  EXPECT_EQ(got->tls_server_name, "7");
  EXPECT_EQ(got->insecure_skip_tls_verify, true);
  EXPECT_EQ(got->certificate_authority, "8");
  EXPECT_EQ(got->client_certificate, "9");
  EXPECT_EQ(got->client_key, "10");
  EXPECT_EQ(got->token, "11");
  EXPECT_EQ(got->username, "12");
  EXPECT_EQ(got->password, "13");
  EXPECT_EQ(got->impersonate.user_name, "14");
  EXPECT_EQ(got->impersonate.uid, "15");
  EXPECT_EQ(got->impersonate.groups, (std::vector<std::string>{"16", "17"}));
  EXPECT_EQ(got->impersonate.extra,
            (std::map<std::string, std::vector<std::string>>{{"k", {"18", "x=y"}}}));
  EXPECT_EQ(got->proxy_url, "19");
  EXPECT_EQ(got->disable_compression, false);
  EXPECT_EQ(got->timeout, "20");
}

TEST(TakeOverrideFlags, LeavesOtherArgumentsInTheirOrder) {
  struct Row {
    std::vector<std::string> words;
    std::string rest;
    std::string context;
    std::string space;
  };
  for (const Row& row : {
           Row{{}, "", "", ""},
           Row{{"a", "--context=c", "b", "-x"}, "a b -x", "c", ""},
           Row{{"--contexts=c", "--con", "-"}, "--contexts=c --con -", "", ""},
           Row{{"-nfoo", "--", "--context=c"}, "-- --context=c", "", "foo"},
           Row{{"--context", "--", "b"}, "b", "--", ""},
           Row{{"--context=a", "--context=b"}, "", "b", ""},
           Row{{"--context="}, "", "", ""},
       }) {
    Arguments arguments(row.words);
    const auto got = arguments.Take();
    ASSERT_TRUE(got.ok()) << got.error();
    EXPECT_EQ(arguments.Rest(), row.rest);
    EXPECT_EQ(got->context, row.context);
    EXPECT_EQ(got->namespace_, row.space);
  }
}

TEST(TakeOverrideFlags, NamesAWrongFlag_AndLeavesTheArguments) {
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"a", "--context"}, "--context: needs a value behind it: NAME"},
      {{"a", "--insecure-skip-tls-verify=maybe"},
       "--insecure-skip-tls-verify: \"maybe\" is neither true nor false"},
      {{"a", "--as-user-extra=k"}, "--as-user-extra: \"k\" must be KEY=VALUE"},
      {{"a", "--as-user-extra==v"}, "--as-user-extra: \"=v\" must be KEY=VALUE"},
      {{"a", "--request-timeout=soon"},
       "--request-timeout: request timeout \"soon\" is not a duration; examples: 0, 30, 90s, "
       "1m30s"},
  };
  for (const auto& [words, want] : rows) {
    Arguments arguments(words);
    const auto got = arguments.Take();
    ASSERT_FALSE(got.ok()) << want;
    EXPECT_EQ(got.error().reason(), Reason::kConfig);
    EXPECT_EQ(got.error().message(), want);
    EXPECT_EQ(arguments.Rest(), words[0] + " " + words[1]);
  }
}

TEST(BindOverrideFlags, WithAPrefix_HaveNoShorthands) {
  ConfigOverrides overrides;
  std::size_t shorthands = 0;
  for (const OverrideFlag& flag : BindOverrideFlags(overrides)) {
    shorthands += flag.shorthand.empty() ? 0 : 1;
    EXPECT_FALSE(flag.description.empty()) << flag.name;
  }
  EXPECT_EQ(shorthands, 2U);
  for (const OverrideFlag& flag : BindOverrideFlags(overrides, "target-")) {
    EXPECT_EQ(flag.name.find("target-"), 0U);
    EXPECT_EQ(flag.shorthand, "");
    if (flag.name == "target-context") flag.set("c").OrExit();
  }
  EXPECT_EQ(overrides.context, "c");
}

}  // namespace
}  // namespace kinformer::clientcmd
