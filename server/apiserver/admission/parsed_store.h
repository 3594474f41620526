// apiserver/admission/parsed_store.h
//
// ParsedStore: the objects of a resource in a parsed form, each parsed once per stored version.

#ifndef KINFORMER_APISERVER_ADMISSION_PARSED_STORE_H_
#define KINFORMER_APISERVER_ADMISSION_PARSED_STORE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Loop-confined.
template <class Parsed>
class ParsedStore {
 public:
  using Pointer = std::shared_ptr<const Parsed>;
  using Parse = Pointer (*)(const json::Value& stored);
  struct Entry {
    StoredObjectPtr stored{};
    Pointer parsed{};
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  // `state` must outlive it. REQUIRES: the built-in resource exists.
  ParsedStore(ServerState& state, std::shared_ptr<ServedResource> resource, Parse parse)
      : state_(state), resource_(std::move(resource)), parse_(parse) {}

  [[nodiscard]] bool Any() const { return resource_->store->size() > 0; }

  // Returns what is stored now, by name.
  const Entries& All() {
    Entries now;
    resource_->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
      const auto found = known_.find(stored->name());
      const bool same = found != known_.end() && found->second.stored == stored;
      now.emplace(stored->name(), same
                                      ? std::move(found->second)
                                      : Entry{.stored = stored, .parsed = parse_(stored->Parse())});
      return true;
    });
    known_ = std::move(now);
    return known_;
  }

 private:
  ServerState& state_;
  const std::shared_ptr<ServedResource> resource_;
  const Parse parse_;
  Entries known_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_PARSED_STORE_H_
