#include "apiserver/request/off_loop.h"

#include <atomic>
#include <utility>

namespace kinformer::apiserver {
namespace {

// Where the answer goes to, if anybody still waits for it.
struct Place {
  std::function<void(ResponsePtr)> answer{};  // of the loop
  std::atomic<bool> abandoned{false};
};

class Elsewhere final : public Deferred {
 public:
  explicit Elsewhere(const std::shared_ptr<Place>& place) : place_(place) {
    place_->answer = [this](ResponsePtr inner) { Begin(std::move(inner)); };
  }
  ~Elsewhere() override {
    place_->answer = nullptr;
    place_->abandoned = true;
  }

 private:
  std::shared_ptr<Place> place_;
};

}  // namespace

Executor& OffLoop::Thread() {
  if (loop_ == nullptr) loop_ = env_.NewLoop("apiserver");
  return loop_->env().loop();
}

ResponsePtr OffLoop::Run(std::size_t bytes, std::function<void()> work,
                         std::function<ResponsePtr()> then) {
  if (!IsMuch(bytes)) {
    work();
    return then();
  }
  auto place = std::make_shared<Place>();
  auto answer = std::make_unique<Elsewhere>(place);
  // What both refer to may be much to destroy, too.
  struct Job {
    std::function<void()> work;
    std::function<ResponsePtr()> then;
    std::shared_ptr<Place> place;
  };
  auto job = std::make_shared<Job>(
      Job{.work = std::move(work), .then = std::move(then), .place = std::move(place)});
  Executor& thread = Thread();
  thread.Post([&loop = env_.loop(), &thread, job = std::move(job)]() mutable {
    if (!job->place->abandoned) job->work();
    loop.Post([&thread, job = std::move(job)]() mutable {
      // Without a place there may be no thread any more.
      if (!job->place->answer) return;
      job->place->answer(job->then());
      thread.Post([job = std::move(job)] {});
    });
  });
  return answer;
}

}  // namespace kinformer::apiserver
