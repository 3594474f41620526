#include "kinformer/internal/live_reader.h"

#include <cstdint>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/internal/async_resource_core.h"
#include "kinformer/internal/indexer_core.h"

namespace kinformer::internal {
namespace {

// Turns a 404 that names no object into kNotSynced: the resource itself is missing, for example
// before its definition exists, which must not look like a missing object.
Error Explained(Error error, const KindInfo& type) {
  if (!IsNotFound(error) || !error.details().name.empty()) return error;
  return Error(Reason::kNotSynced, "the server does not have " + std::string(type.resource) +
                                       "; is there a CustomResourceDefinition? " + error.message());
}

}  // namespace

Result<std::string> NamespaceOfCall(const KindInfo& type, const std::string& home,
                                    std::string_view said, std::string_view name) {
  if (home.empty() || !type.namespaced || said == home) return std::string(said);
  if (said.empty()) return home;
  std::string what(type.resource);
  if (!name.empty()) what += " \"" + std::string(name) + '"';
  return Error(Reason::kInvalidArgument, what + " in namespace \"" + std::string(said) +
                                             "\": this client is for namespace \"" + home +
                                             "\" only (WithNamespace)");
}

LiveReader::LiveReader(std::optional<ResourceCore> server, const KindInfo& type,
                       Namespaces namespaces)
    : server_(std::move(server)), type_(&type), namespaces_(std::move(namespaces)) {}

LiveReader LiveReader::In(std::string home) const {
  LiveReader bound = *this;
  bound.home_ = std::move(home);
  return bound;
}

Result<void> LiveReader::MayAsk(std::string_view namespace_) const {
  if (!server_) {
    return Error(Reason::kInvalidArgument,
                 std::string(type_->resource) +
                     " cannot be read from the server: the factory was made without a Client");
  }
  if (namespace_.empty() || namespaces_.empty() || namespaces_.contains(namespace_)) return {};
  return Error(Reason::kOutOfScope, "the factory does not look at " + std::string(type_->resource) +
                                        " in namespace \"" + std::string(namespace_) +
                                        "\": its options name others");
}

Result<std::string> LiveReader::WhereToGet(std::string_view namespace_,
                                           std::string_view name) const {
  Result<std::string> where = NamespaceOfCall(*type_, home_, namespace_, name);
  if (!where) return where;
  if (Result<void> fits = CheckNamespace(*type_, *where, name); !fits) {
    return std::move(fits).error();
  }
  if (Result<void> may = MayAsk(*where); !may) return std::move(may).error();
  return where;
}

Result<LiveReader::Namespaces> LiveReader::WhereToList(std::string_view namespace_,
                                                       const LabelSelector& selector) const {
  const Result<std::string> said = NamespaceOfCall(*type_, home_, namespace_, "");
  if (!said) return said.error();
  if (Result<void> may = MayAsk(*said); !may) return std::move(may).error();
  const bool nowhere = !type_->namespaced && !said->empty();
  if (nowhere || selector.MatchesNothing()) return Namespaces();
  if (!said->empty() || namespaces_.empty()) return Namespaces{*said};
  return namespaces_;
}

struct LiveReader::Reads {
  static Task<Result<ObjectRef>> Get(LiveReader self, std::string namespace_, std::string name,
                                     CallOptions call) {
    Result<std::string> where = self.WhereToGet(namespace_, name);
    if (!where) co_return std::move(where).error();
    const GetOptions newest;
    const AsyncResourceCore there = self.server_->InNamespace(*std::move(where)).async();
    Result<ObjectRef> object = co_await there.Get(std::move(name), newest, std::move(call));
    if (!object) co_return Explained(std::move(object).error(), *self.type_);
    co_return object;
  }

  // Lists one namespace; empty: all. options.limit: maximal number of objects to add.
  static Task<Result<ListedObjects>> ListOne(LiveReader self, std::string namespace_,
                                             ListOptions options, CallOptions call) {
    const AsyncResourceCore there = self.server_->InNamespace(std::move(namespace_)).async();
    Task<Result<ListedObjects>> listing = options.limit > 0
                                              ? there.ListPage(options, std::move(call))
                                              : there.List(options, std::move(call));
    Result<ListedObjects> listed = co_await listing;
    if (!listed) co_return Explained(std::move(listed).error(), *self.type_);
    if (listed->unreadable > 0) {
      co_return Error(Reason::kUnreadable, std::to_string(listed->unreadable) + " of the " +
                                               std::string(self.type_->resource) +
                                               " are malformed; the log names them");
    }
    co_return listed;
  }

  static Task<Result<std::vector<ObjectRef>>> List(LiveReader self, std::string namespace_,
                                                   LabelSelector selector, CallOptions call,
                                                   FieldSelector fields, std::size_t limit) {
    const Result<Namespaces> where = self.WhereToList(namespace_, selector);
    if (!where) co_return where.error();
    std::vector<ObjectRef> all;
    ListOptions options;
    options.labelSelector = selector.ToString();
    options.fieldSelector = fields.ToString();
    for (const std::string& one : *where) {
      if (limit > 0) {
        if (all.size() >= limit) break;
        options.limit = static_cast<std::int64_t>(limit - all.size());
      }
      Task<Result<ListedObjects>> listing = ListOne(self, one, options, call);
      Result<ListedObjects> listed = co_await listing;
      if (!listed) co_return std::move(listed).error();
      for (ObjectRef& object : listed->items) all.push_back(std::move(object));
    }
    if (limit > 0 && all.size() > limit) all.resize(limit);
    co_return all;
  }
};

Task<Result<ObjectRef>> LiveReader::GetTask(std::string namespace_, std::string name,
                                            CallOptions call) const {
  return Reads::Get(*this, std::move(namespace_), std::move(name), std::move(call));
}

Task<Result<std::vector<ObjectRef>>> LiveReader::ListTask(std::string namespace_,
                                                          LabelSelector selector, CallOptions call,
                                                          FieldSelector fields,
                                                          std::size_t limit) const {
  return Reads::List(*this, std::move(namespace_), std::move(selector), std::move(call),
                     std::move(fields), limit);
}

Result<ObjectRef> LiveReader::Get(std::string_view namespace_, std::string_view name,
                                  const CallOptions& call) const {
  // Errors of the caller come first, on a loop's thread, too.
  if (const Result<std::string> where = WhereToGet(namespace_, name); !where) return where.error();
  return BlockOn(server_->env(), GetTask(std::string(namespace_), std::string(name), call));
}

Result<std::vector<ObjectRef>> LiveReader::List(std::string_view namespace_,
                                                const LabelSelector& selector,
                                                const CallOptions& call,
                                                const FieldSelector& fields,
                                                std::size_t limit) const {
  const Result<Namespaces> where = WhereToList(namespace_, selector);
  if (!where) return where.error();
  if (where->empty()) return std::vector<ObjectRef>();
  return BlockOn(server_->env(), ListTask(std::string(namespace_), selector, call, fields, limit));
}

}  // namespace kinformer::internal
