// kinformer/internal/live_reader.h
//
// LiveReader: reads the objects of one resource from the server, if a factory does not cache them.

#ifndef KINFORMER_INTERNAL_LIVE_READER_H_
#define KINFORMER_INTERNAL_LIVE_READER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/list_options.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/label_selector.h"

namespace kinformer {
template <class T>
class Task;  // task.h
}  // namespace kinformer

namespace kinformer::internal {

// Returns the namespace of a call that gives `said`, on a handle that is bound to `home` (empty:
// not bound): `said`, or `home` if it is empty. kInvalidArgument: both are set and differ. For
// kinds without namespaces returns `said`. `name` is for the message.
[[nodiscard]] Result<std::string> NamespaceOfCall(const KindInfo& type, const std::string& home,
                                                  std::string_view said, std::string_view name);

// A reader bound to one kind. Thread-safe. Reads block; on a loop's thread they fail with
// kWouldDeadlock. See Reader.
class LiveReader {
 public:
  using Namespaces = std::set<std::string, std::less<>>;

  // Creates a reader. `server` empty: every read fails with that message. `namespaces`: the
  // factory's; empty: all.
  LiveReader(std::optional<ResourceCore> server, const KindInfo& type, Namespaces namespaces);
  // Returns this reader bound to a namespace: see NamespaceOfCall.
  [[nodiscard]] LiveReader In(std::string home) const;

  [[nodiscard]] Result<ObjectRef> Get(std::string_view namespace_, std::string_view name,
                                      const CallOptions& call) const;
  // Lists objects whose labels and fields match; `limit`: their maximal number, 0: all.
  [[nodiscard]] Result<std::vector<ObjectRef>> List(std::string_view namespace_,
                                                    const LabelSelector& selector,
                                                    const CallOptions& call,
                                                    const FieldSelector& fields = {},
                                                    std::size_t limit = 0) const;

  // The same reads as tasks.
  [[nodiscard]] Task<Result<ObjectRef>> GetTask(std::string namespace_, std::string name,
                                                CallOptions call) const;
  [[nodiscard]] Task<Result<std::vector<ObjectRef>>> ListTask(std::string namespace_,
                                                              LabelSelector selector,
                                                              CallOptions call,
                                                              FieldSelector fields = {},
                                                              std::size_t limit = 0) const;

 private:
  // Coroutines, which have a copy of this as their first parameter.
  struct Reads;

  // Returns OK if the factory covers that namespace, and there is a server.
  [[nodiscard]] Result<void> MayAsk(std::string_view namespace_) const;
  // Returns the namespace to ask for an object.
  [[nodiscard]] Result<std::string> WhereToGet(std::string_view namespace_,
                                               std::string_view name) const;
  // Returns the namespaces to list; "": all. None: nothing can match.
  [[nodiscard]] Result<Namespaces> WhereToList(std::string_view namespace_,
                                               const LabelSelector& selector) const;

  std::optional<ResourceCore> server_;
  const KindInfo* type_;
  Namespaces namespaces_;
  std::string home_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_LIVE_READER_H_
