// base/loop/own_writes.h
//
// OwnWrites: collects what a piece of work on this thread writes to the server.

#ifndef KINFORMER_BASE_LOOP_OWN_WRITES_H_
#define KINFORMER_BASE_LOOP_OWN_WRITES_H_

#include <memory>
#include <utility>
#include <vector>

#include "kinformer/internal/own_write.h"

#include "base/core/mutex.h"

namespace kinformer::internal::base {

// While one of these lives on a thread, clients Note there what they have written. To be made and
// destroyed on that thread. Objects may be nested; the innermost counts.
class OwnWrites {
 public:
  // Thread-safe. May outlive the work: nobody takes what is noted afterwards.
  class Notes {
   public:
    void Note(OwnWrite write) {
      const MutexLock lock(mutex_);
      writes_.push_back(std::move(write));
    }
    [[nodiscard]] std::vector<OwnWrite> Take() {
      const MutexLock lock(mutex_);
      return std::exchange(writes_, {});
    }

   private:
    Mutex mutex_;
    std::vector<OwnWrite> writes_ KINFORMER_GUARDED_BY(mutex_);
  };

  OwnWrites();
  ~OwnWrites();
  OwnWrites(const OwnWrites&) = delete;
  OwnWrites& operator=(const OwnWrites&) = delete;

  // Returns the notes of this thread; null: nobody wants any.
  [[nodiscard]] static std::shared_ptr<Notes> Current();

  [[nodiscard]] std::vector<OwnWrite> Take() { return notes_->Take(); }

 private:
  const std::shared_ptr<Notes> notes_ = std::make_shared<Notes>();
  OwnWrites* const outer_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_OWN_WRITES_H_
