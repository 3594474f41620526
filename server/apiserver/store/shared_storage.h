// apiserver/store/shared_storage.h
//
// SharedStorage: where several servers keep the same objects: each has them in memory too, and
// hears of all changes in the order in which they are made.

#ifndef KINFORMER_APISERVER_STORE_SHARED_STORAGE_H_
#define KINFORMER_APISERVER_STORE_SHARED_STORAGE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

namespace kinformer::apiserver {

// A key and its value at a revision, or its removal. Keys are those of kube-apiserver, without the
// prefix and its slash: "pods/default/web-0".
struct SharedEntry {
  std::string key{};
  std::string value{};
  std::int64_t revision = 0;
  bool removed = false;
};

// All changes of one revision, which has none if it concerned others.
struct SharedBatch {
  std::int64_t revision = 0;
  std::vector<SharedEntry> entries{};
  // The changes before it are not known: `entries` is all that is stored.
  bool replaces = false;
};

// A write of one key, made only if nobody else was first.
struct SharedWrite {
  std::string key{};
  std::int64_t expected = 0;           // revision of the key; 0: there is none
  std::optional<std::string> value{};  // none: removes it
  // Keys that must not exist and are made with it, so that what they name is unique; and keys that
  // go with it.
  std::vector<std::string> claims{};
  std::vector<std::string> releases{};
};

struct SharedAnswer {
  bool made = false;  // false: something has changed before
  // The write's; else one at which that change can be seen.
  std::int64_t revision = 0;
};

// Errors are those of responses. Loop-confined.
class SharedStorage {
 public:
  virtual ~SharedStorage() = default;

  // Returns what is stored at the revision from which changes are told. Once.
  virtual SharedBatch TakeBase() = 0;
  // Returns the revision that was the latest one when the storage was opened.
  [[nodiscard]] virtual std::int64_t opened_at() const = 0;

  // ---- Changes.
  // `wake` is called on the loop when there is something new: for Next, or about leads().
  virtual void SetWake(std::function<void()> wake) = 0;
  // Returns the next changes; none: they are yet to come.
  virtual std::optional<SharedBatch> Next() = 0;
  // Blocks until Next has something. Returns false at the deadline.
  virtual bool WaitForNext(SteadyTime deadline) = 0;

  // ---- Writes and questions. `done` is called on the loop, not before the call returns.
  virtual void Write(SharedWrite write, std::function<void(Result<SharedAnswer>)> done) = 0;
  // Does the same and blocks.
  virtual Result<SharedAnswer> WriteNow(SharedWrite write) = 0;
  // Asks for the latest revision.
  virtual void AskRevision(std::function<void(Result<std::int64_t>)> done) = 0;
  // Longest time of an answer, and of what has to be seen after it.
  [[nodiscard]] virtual Duration patience() const = 0;

  // Returns whether this server is the one that does what one server has to do.
  [[nodiscard]] virtual bool leads() const = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_SHARED_STORAGE_H_
