#include "cli/progress.h"

#include <chrono>
#include <cstdio>
#include <mutex>
#include <unistd.h>
#include <utility>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

constexpr char kEraseLine[] = "\r\x1b[K";
constexpr std::chrono::seconds kPeriod{1};

bool OnTerminal() { return isatty(STDERR_FILENO) != 0; }

bool AsksAlways(const Config& config) {
  return config.exec && config.exec->interactive_mode == "Always";
}

void WriteToTerminal(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string_view LineStart() { return OnTerminal() ? kEraseLine : ""; }

struct Progress::State : std::enable_shared_from_this<State> {
  State(Env& environment, const std::string& text, std::function<void(std::string_view)> writer)
      : env(environment), what(Printable(text)), write(std::move(writer)), start(env.Now()) {}

  // Prints the line again after each second. The timers keep the state only weakly.
  void Arm() {
    timer = env.loop().RunAt(env.Now() + kPeriod, [weak = weak_from_this()] {
      if (const std::shared_ptr<State> self = weak.lock()) self->Print();
    });
  }
  void Print() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (done) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(env.Now() - start);
    write(kEraseLine + ("waiting for " + what) + " ... " + std::to_string(seconds.count()) + "s");
    shown = true;
    Arm();
  }
  void End() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (!done && shown) write(kEraseLine);
    done = true;
    timer.Cancel();
  }

  Env& env;
  const std::string what;
  const std::function<void(std::string_view)> write;
  const SteadyTime start;
  std::mutex mutex;
  Timer timer;
  bool shown = false;
  bool done = false;
};

Progress::Progress(const Connection& connection, const std::string& what)
    : Progress(connection.client.env(), what,
               OnTerminal() && !AsksAlways(connection.config)
                   ? std::function<void(std::string_view)>(WriteToTerminal)
                   : nullptr) {}

Progress::Progress(Env& env, const std::string& what, std::function<void(std::string_view)> write) {
  if (write == nullptr) return;
  state_ = std::make_shared<State>(env, what, std::move(write));
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->Arm();
}

Progress::~Progress() { Done(); }

void Progress::Done() {
  if (state_ != nullptr) state_->End();
}

}  // namespace kinformer::cli
