#include "config/exec_plugin.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fcntl.h>
#include <iterator>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#if !defined(__GLIBC__)
#include <dirent.h>
#include <optional>

#include "base/text/number_in.h"
#endif

#include "kinformer/base/metrics.h"
#include "kinformer/client/exec_credential.h"
#include "kinformer/json/json.h"

#include "base/core/deadline.h"
#include "config/bearer.h"
#include "config/plugin_policy.h"
#include "object/values/text_forms.h"
#include "transport/tls_material.h"

extern char** environ;

namespace kinformer::internal::config {

namespace {

constexpr std::size_t kMaxAnswer = 16 << 20;

Error Failed(const ExecConfig& exec, const std::string& why) {
  std::string message = "credential plugin " + exec.command + ": " + why;
  if (!exec.install_hint.empty()) message += ". " + exec.install_hint;
  return Error(Reason::kConfig, message);
}

// A running child process. The destructor kills and reaps it.
class Child {
 public:
  ~Child() {
    if (out >= 0) close(out);
    if (pid > 0) {
      kill(own_group ? -pid : pid, SIGKILL);
      Reap();
    }
  }
  pid_t pid = -1;
  int out = -1;  // its stdout
  bool own_group = false;

  // Whether it has ended. It is not reaped, so that its process id is not reused.
  [[nodiscard]] bool Ended() const {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      return errno == ECHILD;
    }
    return info.si_pid == pid;
  }
  // Waits for its end and returns its status. A host that ignores SIGCHLD loses the status: 0 then,
  // so that the output decides.
  int Reap() {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    pid = -1;
    return status;
  }
};

// Returns what exec takes: pointers to the texts, and a null behind them.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> out{nullptr};
  for (auto& text : texts) out.insert(std::prev(out.end()), text.data());
  return out;
}

// Descriptors of libcurl and of the host must not be inherited.
void CloseOthers([[maybe_unused]] posix_spawn_file_actions_t& actions) {
#if !defined(__GLIBC__)
  // musl closes no range. It ignores descriptors that another thread has closed by then.
  DIR* const open = opendir("/proc/self/fd");
  if (open == nullptr) return;
  while (const dirent* const entry = readdir(open)) {
    const std::optional<int> number = base::NumberIn<int>(entry->d_name);
    if (number > STDERR_FILENO) posix_spawn_file_actions_addclose(&actions, *number);
  }
  closedir(open);
#elif __GLIBC__ > 2 || __GLIBC_MINOR__ >= 34
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
#endif
}

int Spawn(const ExecConfig& exec, const std::string& info, bool interactive, Child& child) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (!interactive) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  CloseOthers(actions);
  // This process's threads block all signals; the child must not inherit that.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (!interactive) {
    // In its own process group it could not read from the terminal.
    child.own_group = true;
    flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));

  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::string name = text.substr(0, text.find('='));
    bool replaced = name == "KUBERNETES_EXEC_INFO";
    for (const auto& [key, value] : exec.env) replaced = replaced || key == name;
    if (!replaced) variables.push_back(text);
  }
  for (const auto& [key, value] : exec.env) variables.push_back(key + "=" + value);
  variables.push_back("KUBERNETES_EXEC_INFO=" + info);
  std::vector<std::string> words{exec.command};
  words.insert(words.end(), exec.args.begin(), exec.args.end());

  pid_t pid = -1;
  const int code = posix_spawnp(&pid, exec.command.c_str(), &actions, &attributes,
                                Pointers(words).data(), Pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  child.out = ends[0];
  if (code == 0) child.pid = pid;
  return code;
}

// Interval of checks of a child, and the number of further checks after it has ended while others
// keep its stdout open.
constexpr int kLookMillis = 50;
constexpr int kLateLooks = 20;

Error Stopped(const ExecConfig& exec) {
  return Error(Reason::kStopped,
               "credential plugin " + exec.command + ": stopped before it had answered");
}

// Returns the child's output until it closes its stdout or has ended.
Result<std::string> ReadOutput(Env& env, const ExecConfig& exec, SteadyTime deadline,
                               const std::stop_token& stop, const Child& child) {
  std::string text;
  for (int late = 0;;) {
    if (stop.stop_requested()) return Stopped(exec);
    if (child.Ended() && ++late > kLateLooks) return text;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - env.Now());
    if (left.count() <= 0) {
      return Failed(exec, "no answer within " +
                              std::to_string(exec.timeout / std::chrono::seconds(1)) + " s");
    }
    pollfd wait[] = {{.fd = child.out, .events = POLLIN, .revents = {}}};
    const auto millis = static_cast<int>(std::min<std::int64_t>(left.count(), kLookMillis));
    const int ready = poll(wait, std::size(wait), millis);
    if (ready < 0 && errno != EINTR) return Failed(exec, std::generic_category().message(errno));
    if (ready <= 0) continue;
    std::array<char, 65536> data;
    // It is readable, so this does not wait and is not interrupted.
    const ssize_t n = read(child.out, data.data(), data.size());
    if (n <= 0) return text;
    text.append(data.data(), static_cast<std::size_t>(n));
    if (text.size() > kMaxAnswer) return Failed(exec, "its output does not end");
  }
}

// Waits for the end of a child that has closed its stdout. Returns its status, as waitpid does.
Result<int> AwaitEnd(Env& env, const ExecConfig& exec, SteadyTime deadline,
                     const std::stop_token& stop, Child& child) {
  while (!child.Ended()) {
    if (stop.stop_requested()) return Stopped(exec);
    if (env.Now() >= deadline) return Failed(exec, "it does not end");
    poll(nullptr, 0, 5);
  }
  return child.Reap();
}

// `silent`: there was no output.
Result<void> Judge(const ExecConfig& exec, int status, bool silent) {
  if (WIFSIGNALED(status)) {
    return Failed(exec, "killed by signal " + std::to_string(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) == 127 && silent) {
    return Failed(exec, "executable not found, or exit code 127");
  }
  if (WEXITSTATUS(status) != 0) {
    return Failed(exec, "failed with exit code " + std::to_string(WEXITSTATUS(status)));
  }
  return {};
}

// Counts a call of a plugin with the codes and texts of client-go. `code`: the plugin's exit code,
// -1 for one that was killed, 1 for one that has none.
void CountCall(Env& env, int code, std::string_view status) {
  if (!env.metrics().enabled()) return;
  env.metrics()
      .NewCounter("rest_client_exec_plugin_call_total",
                  "Calls of credential plugins, by exit code and outcome.",
                  {{"code", std::to_string(code)}, {"call_status", status}})
      ->Add();
}

// Counts a comparison with the policy.
void CountDecision(Env& env, bool allowed) {
  if (!env.metrics().enabled()) return;
  env.metrics()
      .NewCounter("rest_client_exec_plugin_policy_call_total",
                  "Checks whether a credential plugin may run, by their result.",
                  {{"status", allowed ? "allowed" : "denied"}})
      ->Add();
}

}  // namespace

WallTime SaturatedTime(std::int64_t seconds, std::int64_t nanos) {
  constexpr auto kLast = std::chrono::floor<std::chrono::seconds>(WallTime::max());
  constexpr auto kFirst = std::chrono::ceil<std::chrono::seconds>(WallTime::min());
  if (seconds >= kLast.time_since_epoch().count()) return WallTime::max();
  if (seconds <= kFirst.time_since_epoch().count()) return WallTime::min();
  return WallTime(std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanos));
}

Result<bool> ExecInteractive(const ExecConfig& exec, bool stdin_is_terminal) {
  if (exec.interactive_mode == "Never") return false;
  if (exec.interactive_mode == "IfAvailable") return stdin_is_terminal && !exec.stdin_unavailable;
  if (exec.interactive_mode == "Always") {
    const std::string needs = "it needs a terminal (interactiveMode Always): standard input is ";
    if (!stdin_is_terminal) return Failed(exec, needs + "not a terminal");
    if (!exec.stdin_unavailable) return true;
    const std::string& why = exec.stdin_unavailable_message;
    return Failed(exec, needs + "unavailable" + (why.empty() ? "" : ": " + why));
  }
  return Failed(exec, "unknown interactiveMode \"" + exec.interactive_mode + "\"");
}

std::string ExecInfoJson(const ExecConfig& exec, const ExecCluster& cluster, bool interactive) {
  kinformer::exec::ExecCredential question;
  question.api_version = exec.api_version;
  question.spec.interactive = interactive;
  if (exec.provide_cluster_info) {
    kinformer::exec::Cluster about;
    about.server = cluster.server;
    about.tls_server_name = cluster.tls_server_name;
    about.insecure_skip_tls_verify = cluster.insecure;
    about.certificate_authority_data = cluster.ca_data;
    about.proxy_url = cluster.proxy_url;
    about.disable_compression = cluster.disable_compression;
    if (!cluster.config.empty()) {
      if (auto config = json::Parse(cluster.config)) about.config = *std::move(config);
    }
    question.spec.cluster = std::move(about);
  }
  return question.ToJson();
}

Result<ExecAnswer> ParseExecAnswer(const ExecConfig& exec, const std::string& text) {
  auto parsed = json::Parse(text);
  // The output may contain a token, so it is not in the message.
  if (!parsed) return Failed(exec, "its output is not JSON");
  const std::string& version = parsed->At("/apiVersion").StringOrEmpty();
  if (version != exec.api_version) {
    return Failed(exec, "it answered with apiVersion \"" + version + "\", the kubeconfig says \"" +
                            exec.api_version + "\"");
  }
  if (!parsed->At("/status").is_object()) return Failed(exec, "its answer has no status");
  ExecAnswer out;
  const std::string& token = parsed->At("/status/token").StringOrEmpty();
  out.credentials.cert_pem = parsed->At("/status/clientCertificateData").StringOrEmpty();
  out.credentials.key_pem = parsed->At("/status/clientKeyData").StringOrEmpty();
  if (!token.empty()) {
    Result<std::string> bearer = BearerOf(token, "its answer");
    if (!bearer) return Failed(exec, bearer.error().message());
    out.credentials.authorization = *std::move(bearer);
  }
  if (out.credentials.cert_pem.empty() != out.credentials.key_pem.empty()) {
    return Failed(exec, "its answer has only one of clientCertificateData and clientKeyData");
  }
  if (token.empty() && out.credentials.cert_pem.empty()) {
    return Failed(exec, "its answer has neither a token nor a client certificate");
  }
  if (!out.credentials.cert_pem.empty() &&
      (out.credentials.cert_pem.find("-----BEGIN CERTIFICATE-----") == std::string::npos ||
       out.credentials.key_pem.find("PRIVATE KEY-----") == std::string::npos)) {
    return Failed(exec, "clientCertificateData or clientKeyData is not PEM");
  }
  if (!out.credentials.cert_pem.empty()) {
    const Result<void> pair = transport::CheckKeyPair(
        out.credentials.cert_pem, out.credentials.key_pem, "clientCertificateData");
    if (!pair) return Failed(exec, pair.error().message());
  }
  const std::string& expiry = parsed->At("/status/expirationTimestamp").StringOrEmpty();
  if (!expiry.empty()) {
    const auto time = ParseRfc3339(expiry);
    if (!time) return Failed(exec, "expirationTimestamp \"" + expiry + "\" is not a time");
    out.expires = SaturatedTime(time->seconds, time->nanos);
  }
  return out;
}

Result<ExecAnswer> RunExecPlugin(Env& env, const ExecConfig& exec, const ExecCluster& cluster,
                                 const std::stop_token& stop) {
  const Result<void> allowed = PluginAllowed(exec);
  CountDecision(env, allowed.ok());
  if (!allowed) return allowed.error();
  const auto interactive = ExecInteractive(exec, isatty(STDIN_FILENO) == 1);
  if (!interactive.ok()) return interactive.error();
  Child child;
  const int code = Spawn(exec, ExecInfoJson(exec, cluster, *interactive), *interactive, child);
  if (code != 0) {
    const bool ours = code == EMFILE || code == ENFILE || code == ENOMEM;
    CountCall(env, 1, ours ? "client_internal_error" : "plugin_not_found_error");
  }
  if (code == ENOENT) {
    return Failed(exec, "executable not found; install it, or correct users[].user.exec.command");
  }
  if (code != 0) return Failed(exec, "cannot be run: " + std::generic_category().message(code));
  // A person who types a password needs time, so there is no limit.
  const SteadyTime deadline =
      *interactive ? SteadyTime::max() : base::After(env.Now(), exec.timeout);
  const Result<std::string> text = ReadOutput(env, exec, deadline, stop, child);
  const Result<int> status = text ? AwaitEnd(env, exec, deadline, stop, child) : text.error();
  if (!status) {
    CountCall(env, 1, "client_internal_error");
    return status.error();
  }
  const int exit_code = WIFSIGNALED(*status) ? -1 : WEXITSTATUS(*status);
  CountCall(env, exit_code, exit_code == 0 ? "no_error" : "plugin_execution_error");
  if (const Result<void> judged = Judge(exec, *status, text->empty()); !judged) {
    return judged.error();
  }
  return ParseExecAnswer(exec, *text);
}

}  // namespace kinformer::internal::config
