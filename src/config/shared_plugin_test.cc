// A plugin and its answers are shared by all clients with the same settings.

#include "config/shared_plugin.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/json/json.h"

#include "config/credentials.h"
#include "config/testing/kubeconfig_texts.h"
#include "config/testing/plugins.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer::internal::config {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using transport::MakeTestCa;
using transport::MakeTestCertificate;
using transport::TestCertificate;

constexpr char kBeta[] = "client.authentication.k8s.io/v1beta1";

std::string ReadText(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string Fetched(CredentialSource& source, Env& env, Simulation& sim) {
  std::string out = "(no answer)";
  source.Fetch(env, [&out](const Result<Credentials>& got) {
    out = got ? got->authorization : got.error().message();
  });
  sim.RunReady();
  return out;
}

class SharedPluginTest : public ::testing::Test {
 protected:
  // A plugin that counts its runs in its answer: token "t1", "t2".
  [[nodiscard]] ExecConfig Counting() const {
    return ScriptPlugin(folder_,
                        "echo x >> " + runs_ + "\nn=$(wc -l < " + runs_ + ")\n" + EchoToken("t$n"));
  }
  [[nodiscard]] std::size_t Runs() const {
    return std::filesystem::exists(runs_) ? std::filesystem::file_size(runs_) / 2 : 0;
  }

  const Folder folder_;
  const std::string runs_ = folder_.path() + "/runs";
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
};

TEST_F(SharedPluginTest, PairOfCertificateAndKey_IsReadAndKept_EX01) {
  const TestCertificate pair = MakeTestCertificate(MakeTestCa("ca"), "client");
  const std::string answer = folder_.Write("answer", CertificateAnswer(kBeta, pair));
  const std::string info = folder_.path() + "/info";
  ExecConfig exec =
      ScriptPlugin(folder_, "echo x >> " + runs_ + "\necho \"$KUBERNETES_EXEC_INFO\" > " + info +
                                "\ncat " + answer + "\n");
  exec.api_version = kBeta;
  const auto source = NewExecCredentials(exec, {});
  for (int i = 0; i < 2; ++i) {
    Credentials got;
    source->Fetch(sim_.env(), [&got](Result<Credentials> credentials) {
      got = std::move(credentials).OrExit();
    });
    sim_.RunReady();
    EXPECT_EQ(got.cert_pem, pair.cert);
    EXPECT_EQ(got.key_pem, pair.key);
    EXPECT_EQ(got.authorization, "");
  }
  EXPECT_EQ(Runs(), 1U);
  EXPECT_EQ(ReadText(info), "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + std::string(kBeta) +
                                "\",\"spec\":{\"interactive\":false}}\n");
  // A certificate says nothing in a header, and its refusal is told by an empty text.
  source->Rejected("Bearer other");
  Fetched(*source, sim_.env(), sim_);
  EXPECT_EQ(Runs(), 1U);
  source->Rejected("");
  Fetched(*source, sim_.env(), sim_);
  EXPECT_EQ(Runs(), 2U);
}

TEST_F(SharedPluginTest, ClientsWithTheSameSettings_ShareOneRun_EX16) {
  const ExecConfig exec = Counting();
  const auto one = NewExecCredentials(exec, {});
  const auto two = NewExecCredentials(exec, {.server = "https://of-another-cluster"});
  EXPECT_EQ(Fetched(*one, sim_.env(), sim_), "Bearer t1");
  EXPECT_EQ(Fetched(*two, sim_.env(), sim_), "Bearer t1");
  // The second to be refused gets what the first one got.
  one->Rejected("Bearer t1");
  two->Rejected("Bearer t1");
  EXPECT_EQ(Fetched(*one, sim_.env(), sim_), "Bearer t2");
  EXPECT_EQ(Fetched(*two, sim_.env(), sim_), "Bearer t2");
  EXPECT_EQ(Fetched(*one, sim_.env(), sim_), "Bearer t2");
  two->Rejected("Bearer t2");
  EXPECT_EQ(Fetched(*two, sim_.env(), sim_), "Bearer t3");
  EXPECT_EQ(Fetched(*one, sim_.env(), sim_), "Bearer t2") << "nobody refused it";
  ExecConfig other = exec;
  other.args = {"a"};
  EXPECT_EQ(Fetched(*NewExecCredentials(other, {}), sim_.env(), sim_), "Bearer t4");
}

TEST_F(SharedPluginTest, AnswerLivesAsLongAsAClient) {
  const ExecConfig exec = Counting();
  EXPECT_EQ(Fetched(*NewExecCredentials(exec, {}), sim_.env(), sim_), "Bearer t1");
  EXPECT_EQ(Fetched(*NewExecCredentials(exec, {}), sim_.env(), sim_), "Bearer t2");
}

TEST_F(SharedPluginTest, ClientsOfSeveralLoops_WaitForOneRun_EX16) {
  const ExecConfig exec = Counting();
  std::vector<std::unique_ptr<Runtime>> runtimes;
  std::vector<std::shared_ptr<CredentialSource>> sources;
  std::vector<std::future<std::string>> answers;
  for (int i = 0; i < 4; ++i) {
    Env& env = runtimes.emplace_back(std::make_unique<Runtime>())->env();
    const auto source = sources.emplace_back(NewExecCredentials(exec, {}));
    const auto answer = std::make_shared<std::promise<std::string>>();
    answers.push_back(answer->get_future());
    env.loop().Post([&env, source, answer] {
      source->Fetch(env, [answer](const Result<Credentials>& got) {
        answer->set_value(got ? got->authorization : got.error().message());
      });
    });
  }
  for (auto& answer : answers) EXPECT_EQ(answer.get(), "Bearer t1");
  EXPECT_EQ(Runs(), 1U);
}

TEST_F(SharedPluginTest, CallerThatWaitsForAnothersRun_EndsByItsStop) {
  const std::string ready = folder_.path() + "/ready";
  const ExecConfig exec = ScriptPlugin(folder_, "echo x > " + ready + "\nexec sleep 100\n");
  const auto plugin = SharedPlugin::For(exec, {});
  Runtime runtime;
  std::jthread first([&](const std::stop_token& stop) {
    EXPECT_EQ(plugin->Obtain(runtime.env(), 0, stop).error().reason(), Reason::kStopped);
  });
  while (!std::filesystem::exists(ready)) std::this_thread::yield();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(plugin->Obtain(runtime.env(), 0, stop.get_token()).error().reason(), Reason::kStopped);
  first.request_stop();
}

TEST(PluginKey, IsEqualForEqualSettingsOnly_EX17) {
  const ExecConfig base{.command = "c", .args = {"ab"}, .api_version = "v"};
  const ExecCluster cluster{.server = "s"};
  std::vector<ExecConfig> configs(14, base);
  configs[1].command = "d";
  configs[2].args = {"a", "b"};
  configs[3].args = {};
  configs[4].env = {{"n", "v"}};
  configs[5].env = {{"nv", ""}};
  configs[6].env = {{"n", "v"}, {"", ""}};
  configs[7].api_version = "w";
  configs[8].install_hint = "h";
  configs[9].interactive_mode = "Never";
  configs[10].timeout = seconds(1);
  configs[11].stdin_unavailable = true;
  configs[12].stdin_unavailable_message = "m";
  configs[13].provide_cluster_info = true;
  std::set<std::string> keys;
  for (const ExecConfig& each : configs) {
    EXPECT_TRUE(keys.insert(PluginKey(each, cluster)).second) << keys.size();
    EXPECT_EQ(PluginKey(each, cluster), PluginKey(ExecConfig(each), cluster));
  }
  EXPECT_EQ(PluginKey(base, cluster), PluginKey(base, {})) << "it is told nothing about it";
  ExecConfig told = base;
  told.provide_cluster_info = true;
  std::vector<ExecCluster> clusters(7, cluster);
  clusters[0].server = "t";
  clusters[1].tls_server_name = "n";
  clusters[2].insecure = true;
  clusters[3].ca_data = "ca";
  clusters[4].proxy_url = "p";
  clusters[5].disable_compression = true;
  clusters[6].config = "{}";
  for (const ExecCluster& each : clusters) {
    EXPECT_TRUE(keys.insert(PluginKey(told, each)).second) << keys.size();
  }
}

TEST(HintLimit, Allows10InAnHour_EX18) {
  HintLimit limit;
  SteadyTime now{};
  for (int hour = 0; hour < 3; ++hour) {
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(limit.Allows(now + minutes(5 * i)));
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(limit.Allows(now + minutes(50 + i)));
    now += hours(1);
  }
}

TEST_F(SharedPluginTest, Hint_IsShown10TimesInAnHour_EX18) {
  ExecConfig exec{.command = "/missing/plugin",
                  .api_version = kPluginVersion,
                  .install_hint = "Get it",
                  .interactive_mode = "Never"};
  const auto source = NewExecCredentials(exec, {});
  const auto hinted = [&] {
    const std::string text = Fetched(*source, sim_.env(), sim_);
    EXPECT_EQ(text.find("credential plugin /missing/plugin: executable not found"), 0U) << text;
    return text.ends_with("users[].user.exec.command. Get it");
  };
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(hinted());
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(hinted());
  sim_.RunFor(hours(1));
  EXPECT_TRUE(hinted());
}

TEST_F(SharedPluginTest, RotationIsCountedOnce_ForAllClientsOfAPlugin) {
  const TestCertificate ca = MakeTestCa("ca");
  const auto say = [&] {
    return folder_.Write("answer",
                         CertificateAnswer(kPluginVersion, MakeTestCertificate(ca, "client")));
  };
  const ExecConfig exec = ScriptPlugin(folder_, "cat " + say() + "\n");
  const auto one = NewExecCredentials(exec, {});
  const auto two = NewExecCredentials(exec, {});
  for (const auto* source : {&one, &two}) Fetched(**source, sim_.env(), sim_);
  say();
  for (const auto* source : {&one, &two}) {
    (*source)->Rejected("");
    Fetched(**source, sim_.env(), sim_);
  }
  EXPECT_NE(metrics_->Text().find("certificate_rotation_age_count 1\n"), std::string::npos)
      << metrics_->Text();
}

TEST_F(SharedPluginTest, CertificateOfAnAnswer_CountsWhileItsClientLives_EX19) {
  const std::string answer = folder_.Write(
      "answer", CertificateAnswer(kPluginVersion, MakeTestCertificate(MakeTestCa("ca"), "client")));
  const auto finite = [this] {
    const std::string text = metrics_->Text();
    return text.find("exec_plugin_ttl_seconds") != std::string::npos &&
           text.find("exec_plugin_ttl_seconds +Inf") == std::string::npos;
  };
  auto source = NewExecCredentials(ScriptPlugin(folder_, "cat " + answer + "\n"), {});
  Fetched(*source, sim_.env(), sim_);
  EXPECT_TRUE(finite()) << metrics_->Text();
  source.reset();
  const auto other = NewExecCredentials(Counting(), {});
  EXPECT_EQ(Fetched(*other, sim_.env(), sim_), "Bearer t1");
  EXPECT_FALSE(finite()) << metrics_->Text();
}

}  // namespace
}  // namespace kinformer::internal::config
