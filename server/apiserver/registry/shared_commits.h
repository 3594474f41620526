// apiserver/registry/shared_commits.h
//
// SharedCommits: makes writes where other servers write the same objects, too.

#ifndef KINFORMER_APISERVER_REGISTRY_SHARED_COMMITS_H_
#define KINFORMER_APISERVER_REGISTRY_SHARED_COMMITS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "kinformer/base/result.h"

#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

struct ServedResource;

// A write of one object, which may take other servers' writes for granted only up to `over`.
struct SharedChange {
  std::shared_ptr<ServedResource> resource{};  // the one in whose store the object is
  StoredObjectPtr made{};                      // null: removes it
  StoredObjectPtr over{};                      // null: there is none
};

// Loop-confined.
class SharedCommits {
 public:
  virtual ~SharedCommits() = default;

  // The version of the write, which the server's stores have by then; none: another write came
  // first, and the stores have that one.
  using Committed = Result<std::optional<std::int64_t>>;

  // Calls `done` on the loop, unless the ticket was destroyed before.
  [[nodiscard]] virtual std::shared_ptr<void> Commit(SharedChange change,
                                                     std::function<void(Committed)> done) = 0;
  // Does the same and blocks, for writes of the server itself and of this process.
  virtual Committed CommitNow(const SharedChange& change) = 0;
  // Calls `done` when the stores have all that was written anywhere before this call.
  [[nodiscard]] virtual std::shared_ptr<void> Freshen(std::function<void(Result<void>)> done) = 0;
  // Returns whether this server does the work that one server has to do: collecting garbage,
  // emptying namespaces, removing expired events.
  [[nodiscard]] virtual bool leads() const = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_SHARED_COMMITS_H_
