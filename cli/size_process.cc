#include "cli/size_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <spawn.h>
#include <stop_token>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object.h"
#include "kinformer/object/projection.h"

#include "base/text/number_in.h"
#include "cli/first_sync.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

constexpr const char* kCommand = "__informers";
// Memory is settled when it has been the same for so many looks.
constexpr std::chrono::milliseconds kLook(20);
constexpr int kEqualLooks = 8;
constexpr int kMostLooks = 250;
constexpr double kSame = 256 * 1024;

// ---- The task and its result as JSON, which passes between the two processes.

json::Value ToValue(const MeasuredInformer& informer) {
  const GroupVersionResource& resource = informer.mapping.resource;
  json::Value fields = json::Value::MakeArray();
  for (const std::string& path : informer.dropped_fields) fields.Append(path);
  return json::Value::MakeObject({{"group", resource.group},
                                  {"version", resource.version},
                                  {"resource", resource.resource},
                                  {"kind", informer.mapping.kind.kind},
                                  {"namespaced", informer.mapping.namespaced},
                                  {"namespace", informer.namespace_},
                                  {"labels", informer.label_selector},
                                  {"fields", informer.field_selector},
                                  {"metadata", informer.metadata},
                                  {"dropManagedFields", informer.drop_managed_fields},
                                  {"compress", informer.compress},
                                  {"droppedFields", std::move(fields)}});
}

MeasuredInformer InformerOf(const json::Value& value) {
  const auto text = [&value](const char* name) { return value[name].StringOrEmpty(); };
  const auto flag = [&value](const char* name) { return value[name].AsBool().value_or(false); };
  MeasuredInformer informer;
  informer.mapping.resource = {text("group"), text("version"), text("resource")};
  informer.mapping.kind = {text("group"), text("version"), text("kind")};
  informer.mapping.namespaced = flag("namespaced");
  informer.namespace_ = text("namespace");
  informer.label_selector = text("labels");
  informer.field_selector = text("fields");
  informer.metadata = flag("metadata");
  informer.drop_managed_fields = flag("dropManagedFields");
  informer.compress = flag("compress");
  for (const json::Value& path : value["droppedFields"].items()) {
    informer.dropped_fields.push_back(path.StringOrEmpty());
  }
  return informer;
}

std::string ToText(const MeasuredProcess& process) {
  json::Value informers = json::Value::MakeArray();
  for (const MeasuredInformer& informer : process.informers) informers.Append(ToValue(informer));
  const ConnectionFlags& flags = process.connection;
  return json::Value::MakeObject({{"informers", std::move(informers)},
                                  {"kubeconfigText", process.kubeconfig},
                                  {"kubeconfig", flags.kubeconfig},
                                  {"context", flags.context},
                                  {"server", flags.server},
                                  {"token", flags.token},
                                  {"authority", flags.certificate_authority},
                                  {"insecure", flags.insecure_skip_tls_verify},
                                  {"list", process.list},
                                  {"json", process.prefer_json},
                                  {"gzip", process.accept_gzip}})
      .Dump();
}

MeasuredProcess ProcessOf(const json::Value& value) {
  const auto text = [&value](const char* name) { return value[name].StringOrEmpty(); };
  const auto flag = [&value](const char* name) { return value[name].AsBool().value_or(false); };
  MeasuredProcess process;
  for (const json::Value& one : value["informers"].items()) {
    process.informers.push_back(InformerOf(one));
  }
  process.kubeconfig = text("kubeconfigText");
  process.connection.kubeconfig = text("kubeconfig");
  process.connection.context = text("context");
  process.connection.server = text("server");
  process.connection.token = text("token");
  process.connection.certificate_authority = text("authority");
  process.connection.insecure_skip_tls_verify = flag("insecure");
  process.list = flag("list");
  process.prefer_json = flag("json");
  process.accept_gzip = flag("gzip");
  return process;
}

std::string ToText(const ProcessFigures& figures) {
  return json::Value::MakeObject({{"base", figures.base_bytes},
                                  {"peak", figures.peak_bytes},
                                  {"settled", figures.settled_bytes},
                                  {"cpu", figures.cpu_seconds},
                                  {"wire", figures.wire_bytes},
                                  {"seconds", figures.seconds},
                                  {"objects", figures.objects}})
      .Dump();
}

ProcessFigures FiguresOf(const json::Value& value) {
  const auto number = [&value](const char* name) { return value[name].AsDouble().value_or(0); };
  return {.base_bytes = number("base"),
          .peak_bytes = number("peak"),
          .settled_bytes = number("settled"),
          .cpu_seconds = number("cpu"),
          .wire_bytes = number("wire"),
          .seconds = number("seconds"),
          .objects = value["objects"].AsUint64().value_or(0)};
}

// ---- In the process of the informers

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Returns a size from /proc/self/status: "VmRSS:", "VmHWM:". getrusage would count the memory of
// the process that started this one.
double StatusBytes(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t begin = line.find_first_of("0123456789");
    const std::string kib = line.substr(begin, line.find(' ', begin) - begin);
    return internal::base::NumberIn<double>(kib).value_or(0) * 1024;
  }
  return 0;
}

// Makes the highest resident size begin anew.
void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

void WaitUntilSettled(Env& env) {
  double before = StatusBytes("VmRSS:");
  int equal = 0;
  for (int i = 0; i < kMostLooks && equal < kEqualLooks; ++i) {
    env.SleepFor(kLook);
    const double now = StatusBytes("VmRSS:");
    equal = std::abs(now - before) < kSame ? equal + 1 : 0;
    if (equal == 0) before = now;
  }
}

const KindInfo& TypeOf(const MeasuredInformer& informer) {
  if (informer.metadata) return informer.mapping.metadata_type();
  const GroupVersionResource& resource = informer.mapping.resource;
  const internal::ResourceInfo* const known =
      internal::FindResource(resource.group, resource.version, resource.resource);
  return known != nullptr && known->type != nullptr &&
                 known->type->kind == informer.mapping.kind.kind
             ? *known->type
             : informer.mapping.dynamic_type();
}

Result<std::unique_ptr<SharedInformer<Object>>> NewInformer(const Client& client,
                                                            const MeasuredInformer& informer,
                                                            bool list) {
  InformerOptions<Object> options;
  options.drop_managed_fields = informer.drop_managed_fields;
  if (informer.compress) options.compression = Compression::kZstd;
  if (list) options.initial_list = InitialList::kList;
  if (!informer.dropped_fields.empty()) {
    Result<Projection> projection = Projection::Drop(informer.dropped_fields);
    if (!projection) return projection.error();
    options.projection = *std::move(projection);
  }
  auto list_watch = internal::NewListWatch(
      client, TypeOf(informer), informer.namespace_,
      [labels = informer.label_selector, fields = informer.field_selector](ListOptions& selected) {
        selected.labelSelector = labels;
        selected.fieldSelector = fields;
      });
  return std::make_unique<SharedInformer<Object>>(client.env(), std::move(list_watch),
                                                  std::move(options));
}

Result<ProcessFigures> Measure(const MeasuredProcess& process) {
  Result<Config> config = process.kubeconfig.empty() ? LoadConfig(process.connection)
                                                     : Config::FromKubeconfig(process.kubeconfig);
  if (!config) return config.error();
  Result<Client> client = Client::NewForConfig(
      *config, {.prefer_json = process.prefer_json, .accept_gzip = process.accept_gzip});
  if (!client) return client.error();
  // The needs of the first connection are no informer's.
  if (const Result<std::string> version = client->GetRaw("/version"); !version) {
    return version.error();
  }
  Env& env = client->env();
  ProcessFigures figures;
  std::vector<std::unique_ptr<SharedInformer<Object>>> informers;
  std::vector<FirstSync> syncs(process.informers.size());
  figures.base_bytes = StatusBytes("VmRSS:");
  ForgetPeak();
  const std::uint64_t received = client->Stats().bytes_received;
  const double cpu = CpuSeconds();
  const SteadyTime begin = env.Now();
  for (std::size_t i = 0; i < process.informers.size(); ++i) {
    auto informer = NewInformer(*client, process.informers[i], process.list);
    if (!informer) return informer.error();
    syncs[i].Attach(**informer);
    (*informer)->Start();
    informers.push_back(*std::move(informer));
  }
  const std::stop_token never;
  for (std::size_t i = 0; i < informers.size(); ++i) {
    if (Result<void> synced = syncs[i].StartAndWait(*informers[i], never); !synced) {
      return synced.error();
    }
  }
  figures.seconds = std::chrono::duration<double>(env.Now() - begin).count();
  figures.cpu_seconds = CpuSeconds() - cpu;
  figures.wire_bytes = static_cast<double>(client->Stats().bytes_received - received);
  WaitUntilSettled(env);
  figures.settled_bytes = StatusBytes("VmRSS:");
  figures.peak_bytes = std::max(StatusBytes("VmHWM:"), figures.settled_bytes);
  for (const auto& informer : informers) figures.objects += informer->Stats().objects;
  for (const auto& informer : informers) informer->Stop();
  return figures;
}

int RunProcess() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const Result<json::Value> task = json::Parse(text);
  if (!task) return UsageError("kinformer size starts this command, and tells it what to measure");
  const Result<ProcessFigures> figures = Measure(ProcessOf(*task));
  if (!figures) return Fail(figures.error());
  std::cout << ToText(*figures) << '\n';
  return 0;
}

// ---- In the process that measures

// The ends of a pipe; closes what is open.
struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
  }
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void CloseRead() { Close(ends[0]); }
  void CloseWrite() { Close(ends[1]); }
  static void Close(int& end) {
    if (end >= 0) close(std::exchange(end, -1));
  }
  std::array<int, 2> ends{-1, -1};
};

Error SystemError(const char* what, int number) {
  return {Reason::kUnknown, std::string(what) + ": " + std::generic_category().message(number)};
}

Result<pid_t> Start(const Pipe& input, const Pipe& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  // Ctrl-C ends it, too.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string program = "kinformer";
  std::string command = kCommand;
  const std::array<char*, 3> arguments{program.data(), command.data(), nullptr};
  pid_t pid = 0;
  const int code =
      posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) return SystemError("the process of the informers does not start", code);
  return pid;
}

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the process has ended, and says why
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const ssize_t count = read(fd, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace

Result<ProcessFigures> MeasureInProcess(const MeasuredProcess& process) {
  Pipe input;
  Pipe output;
  if (input.ends[0] < 0 || output.ends[0] < 0) return SystemError("pipe", errno);
  const Result<pid_t> pid = Start(input, output);
  if (!pid) return pid.error();
  input.CloseRead();
  output.CloseWrite();
  WriteAll(input.ends[1], ToText(process));
  input.CloseWrite();
  const std::string text = ReadAll(output.ends[0]);
  int status = 0;
  while (waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  const Result<json::Value> figures = json::Parse(text);
  if (status != 0 || !figures) {
    return Error(Reason::kUnknown,
                 "the process of the informers has ended without figures; see its message above");
  }
  return FiguresOf(*figures);
}

void RegisterSizeProcess(CommandLine& line) {
  line.Hidden(kCommand, [](const std::vector<std::string>& /*arguments*/) { return RunProcess(); });
}

}  // namespace kinformer::cli
