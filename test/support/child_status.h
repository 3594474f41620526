// test/support/child_status.h
//
// StatusOfChild: forks, and returns the status of the child.

#ifndef KINFORMER_TEST_SUPPORT_CHILD_STATUS_H_
#define KINFORMER_TEST_SUPPORT_CHILD_STATUS_H_

#include <csignal>
#include <functional>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kinformer::testing {

// Runs `child` in a forked child, which exits with 99 if `child` returns. Returns the status from
// waitpid, or -1 if it took longer than a minute and was killed.
inline int StatusOfChild(const std::function<void()>& child) {
  const pid_t pid = fork();
  if (pid == 0) {
    child();
    _exit(99);
  }
  pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), POLLIN, 0};
  const bool in_time = poll(&ended, 1, 60000) == 1;
  close(ended.fd);
  if (!in_time) kill(pid, SIGKILL);
  int status = -1;
  waitpid(pid, &status, 0);
  return in_time ? status : -1;
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SUPPORT_CHILD_STATUS_H_
