// kinformer/internal/live_reader.h
//
// LiveReader: reads the objects of one resource from the server, where a factory keeps no cache.

#ifndef KINFORMER_INTERNAL_LIVE_READER_H_
#define KINFORMER_INTERNAL_LIVE_READER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/field_selector.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/internal/type_info.h"
#include "kinformer/label_selector.h"
#include "kinformer/list_options.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"

namespace kinformer::internal {

// In which namespace a call is that says `said`, by who is bound to `home` (empty: to none): in
// that one or, where it says none, in `home`. kInvalidArgument: it says another. Of a kind that has
// no namespaces what is said stays. `name` is for the message.
[[nodiscard]] Result<std::string> NamespaceOfCall(const TypeInfo& type, const std::string& home,
                                                  std::string_view said, std::string_view name);

// Thread-safe. The methods that read block; on a loop's thread they fail with kWouldDeadlock. See
// Reader.
class LiveReader {
 public:
  using Namespaces = std::set<std::string, std::less<>>;

  // `server` empty: there is nobody to ask, and every read says so. `namespaces`: where the factory
  // looks; empty: everywhere.
  LiveReader(std::optional<ResourceCore> server, const TypeInfo& type, Namespaces namespaces);
  // The same, bound to a namespace: see NamespaceOfCall.
  [[nodiscard]] LiveReader In(std::string home) const;

  [[nodiscard]] Result<ObjectRef> Get(std::string_view namespace_, std::string_view name,
                                      const CallOptions& call) const;
  // Of the objects whose fields match; `limit`: that many at most, 0: all.
  [[nodiscard]] Result<std::vector<ObjectRef>> List(std::string_view namespace_,
                                                    const LabelSelector& selector,
                                                    const CallOptions& call,
                                                    const FieldSelector& fields = {},
                                                    std::size_t limit = 0) const;

 private:
  // OK where the factory looks into that namespace, and there is somebody to ask.
  [[nodiscard]] Result<void> MayAsk(std::string_view namespace_) const;
  // Of one namespace; empty: of all. options.limit: of the objects that may still come.
  [[nodiscard]] Result<void> ListInto(std::vector<ObjectRef>& all, const std::string& namespace_,
                                      const ListOptions& options, const CallOptions& call) const;

  std::optional<ResourceCore> server_;
  const TypeInfo* type_;
  Namespaces namespaces_;
  std::string home_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_LIVE_READER_H_
