// kinformer/apiserver/fake_kubelet.h
//
// FakeKubelet: a Kubelet without containers, for tests and demos: logs come from lists of lines,
// commands and ports echo what they are sent.
//
//   auto kubelet = std::make_shared<FakeKubelet>(env);
//   kubelet->AddLogLine({.namespace_ = "default", .name = "web-0"}, "app", "listening");
//   apiserver::ApiServer server(env, {.kubelet = kubelet});

#ifndef KINFORMER_APISERVER_FAKE_KUBELET_H_
#define KINFORMER_APISERVER_FAKE_KUBELET_H_

#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/apiserver/kubelet.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/object/object_name.h"

namespace kinformer::apiserver {

// Runs every pod, with or without a node. To answer some requests in another way, derive from it.
// Thread-safe. `env` must outlive it.
class FakeKubelet : public Kubelet {
 public:
  explicit FakeKubelet(Env& env);
  ~FakeKubelet() override;
  FakeKubelet(const FakeKubelet&) = delete;
  FakeKubelet& operator=(const FakeKubelet&) = delete;

  // Adds a line, without its line break, to the log of a container; those who follow the log get it
  // at once.
  void AddLogLine(const ObjectName& pod, const std::string& container, std::string line);
  // Ends the log, and with it the requests that follow it, as when the container ends.
  void EndLog(const ObjectName& pod, const std::string& container);

  // Returns the lines that the request asks for. BadRequest for `previous`: no container has been
  // restarted.
  Task<Result<void>> Logs(PodContainer container, LogRequest request, StreamOutput out) override;
  // Writes the words of the command, if it has no stdin; otherwise writes its stdin until that
  // ends. `exit N` ends at once with the exit code N.
  Task<Result<int>> Exec(PodContainer container, ExecRequest request,
                         ContainerStreams streams) override;
  // Writes what comes in.
  Task<Result<int>> Attach(PodContainer container, ExecRequest request,
                           ContainerStreams streams) override;
  // Sends back what is sent to the port.
  Task<Result<void>> PortForward(PodPlace pod, std::uint16_t port, StreamInput in,
                                 StreamOutput out) override;
  [[nodiscard]] bool RunsUnscheduledPods() const override { return true; }

 private:
  struct Logbook;
  Env& env_;
  const std::shared_ptr<Logbook> logs_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAKE_KUBELET_H_
