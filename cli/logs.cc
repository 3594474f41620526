#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/pod_logs.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/label_selector.h"

#include "cli/commands.h"
#include "cli/first_sync.h"
#include "cli/log_follower.h"
#include "cli/log_format.h"
#include "cli/log_request.h"
#include "cli/output.h"
#include "cli/pod_flags.h"
#include "cli/pod_log_streams.h"
#include "cli/pod_target.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

// Returns a function that prints the lines that are wanted.
std::function<bool(const LogRecord&)> Printer(const LogRequest& request,
                                              std::shared_ptr<Output> output,
                                              const StopSource& stop) {
  return [request, output = std::move(output), stop](const LogRecord& record) {
    if (request.Has(record.line.text)) output->Line(FormatLine(record, request.format));
    return !stop.stop_requested();
  };
}

std::function<void(const LogNotice&)> NoticePrinter(const LogRequest& request, bool quiet) {
  return [format = request.format, quiet](const LogNotice& notice) {
    const bool usual =
        notice.kind == LogNotice::Kind::kBegins || notice.kind == LogNotice::Kind::kEnds;
    if (!quiet || !usual) std::cerr << FormatNotice(notice, format) + "\n";
  };
}

// Reads the logs of one pod's containers, one after the other.
Result<void> Read(const Client& client, const std::string& namespace_, const std::string& pod,
                  const std::vector<std::string>& containers, const LogRequest& request,
                  const std::function<bool(const LogRecord&)>& print, const CallOptions& call) {
  const ResourceClient<corev1::Pod> pods = client.For<corev1::Pod>(namespace_);
  const bool plain = containers.size() == 1 && request.format.form == LogFormat::Form::kRaw &&
                     !request.format.prefix && request.include.empty() && request.exclude.empty();
  corev1::PodLogOptionsMutable options = request.log;
  options.follow = request.follow;
  if (plain) {
    // Byte for byte.
    options.container = containers.front();
    return GetLogs(pods, pod, options)
        .Stream(
            [](std::string_view data) {
              return std::fwrite(data.data(), 1, data.size(), stdout) == data.size() &&
                     std::fflush(stdout) == 0;
            },
            call);
  }
  return StreamLogLines(
      pods, pod, containers, options,
      [&](const LogLine& line) {
        const LogSource source{namespace_, pod, std::string(line.container)};
        return print(
            {.source = source,
             .line = options.timestamps ? SplitTime(line.text) : TimedLine{.text = line.text}});
      },
      call);
}

int LogsOfOne(const Connection& connection, const LogFlags& flags, LogRequest request,
              StopSource stop) {
  const std::string namespace_ = NamespaceOf(connection, flags.namespace_);
  const CallOptions call{.stop = stop.token()};
  const Result<PodTarget> target = FindPod(connection.client, namespace_, flags.target, call);
  if (!target) return Fail(target.error(), connection.config.origin);
  SayNote(target->note);
  std::vector<std::string> containers = LogContainers(*target->pod);
  if (flags.all_containers) {
    std::erase_if(containers,
                  [&](const std::string& name) { return !request.filter.HasContainer(name); });
  } else {
    const Result<ContainerChoice> chosen = ChooseContainer(*target->pod, request.log.container);
    if (!chosen) return Fail(chosen.error());
    SayNote(chosen->note);
    containers = {chosen->name};
  }
  const std::string pod(target->pod->metadata().name());
  const auto output = std::make_shared<Output>([stop]() mutable { stop.RequestStop(); });
  const auto print = Printer(request, output, stop);
  Result<void> end;
  if (request.follow && !request.log.limitBytes) {
    end = FollowPodLogs(connection.client, *target->pod, containers, request.log, print,
                        NoticePrinter(request, /*quiet=*/true), stop.token());
  } else {
    end = Read(connection.client, namespace_, pod, containers, request, print, call);
  }
  if (stop.stop_requested()) return 0;
  return end ? 0 : Fail(end.error(), connection.config.origin);
}

// Reads what the logs of all pods that match have now.
int ReadMany(const Connection& connection, const std::string& namespace_,
             const std::string& selector, const LogRequest& request, StopSource stop) {
  const CallOptions call{.stop = stop.token()};
  const auto listed =
      connection.client.For<corev1::Pod>(namespace_).List({.labelSelector = selector}, call);
  if (!listed) return Fail(listed.error(), connection.config.origin);
  const auto output = std::make_shared<Output>([stop]() mutable { stop.RequestStop(); });
  const auto print = Printer(request, output, stop);
  bool found = false;
  int status = 0;
  for (const corev1::Pod pod : *listed) {
    const metav1::ObjectMeta meta = pod.metadata();
    if (!request.filter.HasPod(meta.name())) continue;
    for (const std::string& container : LogContainers(pod)) {
      if (!request.filter.HasContainer(container) || stop.stop_requested()) continue;
      found = true;
      const bool pending = pod.status().phase() == "Pending";
      if (pending && StateOf(pod, container).id.empty()) continue;  // it has not begun
      const Result<void> end = Read(connection.client, std::string(meta.namespace_()),
                                    std::string(meta.name()), {container}, request, print, call);
      if (!end && !stop.stop_requested()) status = Fail(end.error(), connection.config.origin);
    }
  }
  if (listed->empty()) {
    std::cerr << "No resources found"
              << (namespace_.empty() ? "" : " in " + namespace_ + " namespace.") << '\n';
  } else if (!found) {
    std::cerr << "No pods and containers found.\n";
  }
  return status;
}

// Follows the logs of all pods that match until it is stopped.
int FollowMany(const Connection& connection, const std::string& namespace_,
               const std::string& selector, const LogRequest& request, bool quiet,
               StopSource stop) {
  const Client& client = connection.client;
  const auto output = std::make_shared<Output>([stop]() mutable { stop.RequestStop(); });
  LogFollower follower(
      client, {.filter = request.filter, .log = request.log, .max_streams = request.max_streams},
      Printer(request, output, stop), NoticePrinter(request, quiet));
  SharedInformer<corev1::Pod> pods(
      client.env(),
      NewFilteredListWatch<corev1::Pod>(client, namespace_, [selector](ListOptions& options) {
        options.labelSelector = selector;
      }));
  FirstSync first_sync;
  first_sync.Attach(pods);
  Result<EventHandlerRegistration> registration = pods.AddEventHandler(
      ResourceEventHandlerFuncs<corev1::Pod>{
          .on_add =
              [&](const Added<corev1::Pod>& event) {
                follower.OnPod(event.object, event.is_in_initial_list);
              },
          .on_update =
              [&](const Updated<corev1::Pod>& event) { follower.OnPod(event.new_object, false); },
          .on_delete =
              [&](const Deleted<corev1::Pod>& event) { follower.OnPodGone(event.object); }},
      {.name = "logs"});
  if (!registration) return Fail(registration.error());
  const Result<void> synced = first_sync.StartAndWait(pods, stop.token());
  if (synced) {
    static_cast<void>(registration->WaitForSync(stop.token()));
    if (follower.streams() == 0) std::cerr << "no log yet; waiting for pods\n";
    stop.Wait();
  }
  static_cast<void>(pods.RemoveEventHandler(*registration));
  pods.Stop();
  follower.Stop();
  if (synced || stop.stop_requested()) return 0;
  return Fail(synced.error(), connection.config.origin);
}

int RunLogs(const LogFlags& flags, const ConnectionFlags& connection_flags) {
  const StopSource stop = StopOnSignals();
  Result<LogRequest> request = ReadLogFlags(flags, ColorsWanted());
  if (!request) return UsageError(request.error().message());
  if (const auto parsed = LabelSelector::Parse(flags.label_selector); !parsed) {
    return UsageError("-l: " + parsed.error().message());
  }
  const Result<Connection> connection = Connect(connection_flags);
  if (!connection) return Fail(connection.error());
  if (!request->many) return LogsOfOne(*connection, flags, *std::move(request), stop);
  const std::string namespace_ =
      flags.all_namespaces ? "" : NamespaceOf(*connection, flags.namespace_);
  std::string selector = flags.label_selector;
  if (flags.target.find('/') != std::string::npos) {
    Result<std::string> found =
        FindPodSelector(connection->client, namespace_, flags.target, {.stop = stop.token()});
    if (!found) return Fail(found.error(), connection->config.origin);
    selector = *std::move(found);
  }
  return request->follow
             ? FollowMany(*connection, namespace_, selector, *request, flags.quiet, stop)
             : ReadMany(*connection, namespace_, selector, *request, stop);
}

void AddLogFlags(Command& command, LogFlags& flags) {
  command.Positional("POD", flags.target, /*required=*/false,
                     "a pod's name, RESOURCE/NAME such as deployment/web, or a regular expression "
                     "for names of pods: 'web-.*'");
  command.Positional("CONTAINER", flags.container, /*required=*/false, "as -c");
  command.Option("-n,--namespace", flags.namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Flag("-A,--all-namespaces", flags.all_namespaces, "pods of all namespaces");
  command.Option("-l,--selector", flags.label_selector, "SELECTOR",
                 "all pods with these labels: app=web,tier in (front,back)");
  command.Option("-c,--container", flags.container_option, "CONTAINER",
                 "the container; of many pods, all whose name is this or matches it");
  command.Flag("--all-containers", flags.all_containers, "all containers of the pod");
  command.Flag("--all-pods", flags.all_pods, "all pods of RESOURCE/NAME, not one of them");
  command.Flag(
      "-f,--follow", flags.follow,
      "go on with what is written, through cuts; of many pods, new ones and restarts, too");
  command.Flag("-p,--previous", flags.previous, "the log of the container's previous instance");
  command.Seconds("--since", flags.since_seconds, "only what is newer than this: 5s, 2m, 3h");
  command.Option("--since-time", flags.since_time, "TIME",
                 "only what is newer than this: 2024-01-02T03:04:05Z");
  command.Option("--tail", flags.tail, "LINES",
                 "only the last lines; -1: all. Without it, 10 of each of many pods, else all");
  command.Option("--limit-bytes", flags.limit_bytes, "BYTES", "at most this much of a log");
  command.Flag("--timestamps", flags.timestamps, "print the time in front of each line");
  command.Flag("--prefix", flags.prefix, "print [pod/POD/CONTAINER] in front of each line");
  command.Choice("-o,--output", flags.output, {"default", "raw", "json"},
                 "default: pod and container in front, raw: the line alone, json: an object",
                 nullptr);
  command.Option("--max-log-requests", flags.max_log_requests, "NUMBER",
                 "logs that are followed at once; others wait. 50 without it");
  command.Each("--include", flags.include, "REGEX", "only lines that match");
  command.Each("--exclude", flags.exclude, "REGEX", "no lines that match");
  command.Each("--exclude-pod", flags.exclude_pods, "REGEX", "no pods of that name");
  command.Each("--exclude-container", flags.exclude_containers, "REGEX",
               "no containers of that name");
  command.Flag("-q,--quiet", flags.quiet,
               "do not say on standard error when a log begins and ends");
}

}  // namespace

void RegisterLogs(CommandLine& line) {
  auto flags = std::make_shared<LogFlags>();
  auto connection = std::make_shared<ConnectionFlags>();
  Command& command = line.Add("logs", "Print the logs of a pod, or of many at once");
  AddLogFlags(command, *flags);
  AddConnectionFlags(command, *connection);
  command.Run([flags, connection] { return RunLogs(*flags, *connection); });
}

}  // namespace kinformer::cli
