// A program with its own epoll loop runs an informer inside it: no thread of the library runs a
// loop. Handlers are called on the library's pool, as always.

#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <syncstream>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;

namespace {

// The host's own descriptor: signals.
int StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

void Watch(int set, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) != 0) std::abort();
}

}  // namespace

int main() {
  const int stop = StopSignals();
  const int set = epoll_create1(EPOLL_CLOEXEC);
  kinformer::Runtime runtime({.host_driven_loop = true});
  Watch(set, stop);
  Watch(set, runtime.Fd());

  auto client =
      kinformer::Client::NewForConfig(runtime.env(), kinformer::Config::LoadDefault().OrExit())
          .OrExit();
  kinformer::SharedInformerFactory factory(client);
  auto pods = factory.InformerFor<corev1::Pod>();
  const auto handler = pods.AddEventHandler({.on_add =
                                                 [](const kinformer::Added<corev1::Pod>& e) {
                                                   std::osyncstream(std::cout)
                                                       << "= " << e.key << std::endl;
                                                 }})
                           .OrExit()
                           .Scoped();
  factory.Start();

  // Must not wait for the informer here, so polls: it progresses only inside RunReady.
  bool synced = false;
  for (bool stopping = false; !stopping;) {
    std::array<epoll_event, 8> events{};
    const int count = epoll_wait(set, events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd == stop) stopping = true;
      if (fd == runtime.Fd()) runtime.RunReady();
    }
    if (!synced && pods.HasSynced()) {
      synced = true;
      std::osyncstream(std::cout) << "synced: " << pods.Snapshot().size() << " pods" << std::endl;
    }
  }
  close(set);
  close(stop);
}
