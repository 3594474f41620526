#include "cli/pod_log_streams.h"

#include <memory>
#include <optional>
#include <utility>

#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/resource_client.h"

namespace kinformer::cli {
namespace {

struct Streams {
  explicit Streams(Env& env) : monitor(env.NewMonitor()) {}
  const std::unique_ptr<Monitor> monitor;
  std::size_t running = 0;
  std::optional<Error> error{};
};

// Asks the server what a container does. `id`: of the instance that is followed.
void LookUp(const Client& client, const LogSource& source, const std::string& id,
            const std::function<void(ContainerNow now)>& answer) {
  AsyncResourceClient<corev1::Pod>(client.For<corev1::Pod>(source.namespace_))
      .Get(source.pod)
      .Start([source, id, answer](const Result<Ref<corev1::Pod>>& pod) {
        ContainerNow now{.state = ContainerNow::State::kGone};
        // Without an answer it may still run.
        if (!pod && !IsNotFound(pod.error())) now = {ContainerNow::State::kRunning, id, {}};
        if (pod) now = StateOf(**pod, source.container);
        answer(std::move(now));
      });
}

}  // namespace

Result<void> FollowPodLogs(const Client& client, const corev1::Pod& pod,
                           const std::vector<std::string>& containers,
                           const corev1::PodLogOptionsMutable& options,
                           const std::function<bool(const LogRecord& record)>& on_line,
                           const std::function<void(const LogNotice& notice)>& on_notice,
                           const std::stop_token& stop) {
  const auto streams = std::make_shared<Streams>(client.env());
  std::vector<std::shared_ptr<LogStream>> all;
  for (const std::string& container : containers) {
    const LogSource source{std::string(pod.metadata().namespace_()),
                           std::string(pod.metadata().name()), container};
    LogStreamCalls calls;
    calls.on_line = on_line;
    const std::string id = StateOf(pod, container).id;
    calls.look_up = [client, source, id](const std::function<void(ContainerNow)>& answer) {
      LookUp(client, source, id, answer);
    };
    calls.on_cut = [on_notice, source](const Error& error) {
      on_notice({LogNotice::Kind::kCut, source, error.message()});
    };
    calls.on_end = [streams](const Result<void>& end) {
      const MonitorLock lock(*streams->monitor);
      if (!end && !streams->error) streams->error = end.error();
      --streams->running;
      streams->monitor->NotifyAll();
    };
    all.push_back(std::make_shared<LogStream>(client, source, options, id, std::move(calls)));
  }
  streams->running = all.size();
  for (const auto& stream : all) stream->Start();
  const std::stop_callback on_stop(stop, [&all] {
    for (const auto& stream : all) stream->Stop();
  });
  MonitorLock lock(*streams->monitor);
  while (streams->running != 0) lock.Wait();
  if (streams->error) return *streams->error;
  return {};
}

}  // namespace kinformer::cli
