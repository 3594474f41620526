// An informer inside the event loop of a program of Qt: a QSocketNotifier runs the library's tasks,
// so there is no thread of the library for them. Handlers are called on its pool; what touches
// objects of Qt is handed to the application's thread.

#include <QCoreApplication>
#include <QMetaObject>
#include <QSocketNotifier>
#include <csignal>
#include <iostream>
#include <string>
#include <sys/signalfd.h>
#include <unistd.h>

#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"

namespace corev1 = kinformer::corev1;

namespace {

// A descriptor for SIGINT and SIGTERM, as any other of the program's.
int StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

}  // namespace

int main(int argc, char** argv) {
  const int stop = StopSignals();
  QCoreApplication application(argc, argv);
  const QSocketNotifier on_stop(stop, QSocketNotifier::Read);
  QObject::connect(&on_stop, &QSocketNotifier::activated, &application, &QCoreApplication::quit);

  kinformer::Runtime runtime({.host_driven_loop = true});
  const QSocketNotifier notifier(runtime.Fd(), QSocketNotifier::Read);
  QObject::connect(&notifier, &QSocketNotifier::activated, [&runtime] { runtime.RunReady(); });

  const auto client =
      kinformer::Client::NewForConfig(runtime.env(), kinformer::Config::LoadDefault().OrExit())
          .OrExit();
  kinformer::SharedInformerFactory factory(client);
  auto pods = factory.InformerFor<corev1::Pod>();
  const auto handler =
      pods.AddEventHandler(
              {.on_add =
                   [&application](const kinformer::Added<corev1::Pod>& e) {
                     // On the pool; what follows, in the application's thread.
                     QMetaObject::invokeMethod(
                         &application,
                         [key = std::string(e.key)] { std::cout << "= " << key << std::endl; },
                         Qt::QueuedConnection);
                   }})
          .OrExit()
          .Scoped();
  factory.Start();
  const int status = QCoreApplication::exec();
  close(stop);
  return status;
}
