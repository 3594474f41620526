// Asks a server for its discovery documents, aggregated or not.

#include <optional>
#include <utility>

#include "kinformer/json/json.h"

#include "client/discovery_tasks.h"

namespace kinformer::internal::client {
namespace {

constexpr Duration kDiscoveryTimeout = std::chrono::seconds(32);
constexpr std::string_view kAggregatedAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

using Core = std::shared_ptr<ClientCore>;
using AggregatedByPath = std::map<std::string, DiscoveryCache::Aggregated>;

std::string TargetOf(const ApiGroupVersion& version) {
  return version.group.empty() ? "/api/" + version.version
                               : "/apis/" + version.group + "/" + version.version;
}

bool CallerEnded(const Error& error) {
  return error.reason() == Reason::kCanceled || error.reason() == Reason::kDeadlineExceeded ||
         error.reason() == Reason::kStopped || error.reason() == Reason::kWouldDeadlock;
}

class Fetch {
 public:
  Fetch(Core core, AggregatedByPath known, CallOptions call)
      : core_(std::move(core)), known_(std::move(known)), call_(std::move(call)) {}

  Task<Result<void>> Run() {
    Result<void> done = co_await Read("/api");
    if (!done) co_return done;
    done = co_await Read("/apis");
    if (!done) co_return done;
    // One of the two may be forbidden.
    if (forbidden_ && out_.groups.empty()) co_return *std::move(forbidden_);
    done = co_await ReadPlain();
    co_return done;
  }
  FetchedGroups Take() { return std::move(out_); }

 private:
  // Some servers have no core group, or no other groups.
  Task<Result<void>> Read(std::string path) {
    const std::string etag = known_.contains(path) ? known_[path].etag : std::string();
    const std::string accept(kAggregatedAccept);
    Result<Fetched> fetched = co_await GetJson(core_, path, accept, etag, call_);
    if (!fetched && IsForbidden(fetched.error())) {
      forbidden_ = fetched.error();
      co_return Result<void>();
    }
    if (!fetched && !IsNotFound(fetched.error())) co_return std::move(fetched).error();
    if (!fetched) co_return Result<void>();
    if (fetched->not_modified) {
      const DiscoveryCache::Aggregated& known = known_[path];
      out_.groups.insert(out_.groups.end(), known.groups->begin(), known.groups->end());
      out_.aggregated[path] = known;
      co_return Result<void>();
    }
    co_return AddDocument(path, *fetched);
  }

  Result<void> AddDocument(const std::string& path, const Fetched& fetched) {
    const std::size_t before = out_.groups.size();
    if (fetched.document["kind"].StringOrEmpty() == "APIGroupDiscoveryList") {
      Result<void> added = AddAggregated(fetched.document, out_.groups);
      if (!added || fetched.etag.empty()) return added;
      out_.aggregated[path] = {
          fetched.etag,
          std::make_shared<const ApiGroupVersions>(
              out_.groups.begin() + static_cast<std::ptrdiff_t>(before), out_.groups.end())};
      return added;
    }
    Result<void> added = path == "/api" ? AddCoreVersions(fetched.document, out_.groups)
                                        : AddGroupList(fetched.document, out_.groups);
    for (std::size_t i = before; i < out_.groups.size(); ++i) plain_.push_back(i);
    return added;
  }

  // Asks twice for what fails for reasons that may pass.
  Task<Result<void>> ReadPlain() {
    std::size_t resources = 0;
    for (int attempt = 0; attempt < 2; ++attempt) {
      for (const std::size_t i : plain_) {
        ApiGroupVersion& version = out_.groups[i];
        if (attempt > 0 && !MayPass(version)) continue;
        Result<ApiGroupVersion> read = co_await FetchVersion(core_, version, call_);
        if (!read) co_return std::move(read).error();
        version = *std::move(read);
        resources += version.resources.size();
        if (resources > kMostResources) {
          co_return Error(Reason::kOverLimit,
                          core_->engine()->Describe() + " has more resources than a server has");
        }
      }
    }
    co_return Result<void>();
  }

  const Core core_;
  AggregatedByPath known_;
  const CallOptions call_;
  FetchedGroups out_{};
  std::vector<std::size_t> plain_{};  // indexes of group versions without resources yet
  std::optional<Error> forbidden_{};
};

}  // namespace

Task<Result<Fetched>> GetJson(Core core, std::string target, std::string accept, std::string etag,
                              CallOptions call) {
  ExchangeRequest request;
  request.target = target;
  request.accept = std::move(accept);
  if (!etag.empty()) {
    request.headers.Add("If-None-Match", etag);
    request.conditional = true;
  }
  if (call.timeout <= Duration::zero()) call.timeout = kDiscoveryTimeout;
  Result<RawResponse> response =
      co_await ClientCore::Call(core, std::move(request), std::move(call));
  if (!response) co_return std::move(response).error();
  Fetched out;
  out.etag = std::string(response->headers.Get("ETag"));
  out.not_modified = response->status == 304;
  if (out.not_modified) co_return out;
  Result<json::Value> document = json::Parse(response->body);
  if (!document) {
    co_return Error(Reason::kDecode,
                    core->engine()->Describe() + " does not answer " + target +
                        " as a Kubernetes API server does: " + document.error().message() +
                        ". Is this its address, or a proxy's login page?");
  }
  out.document = *std::move(document);
  out.body = std::move(response->body);
  co_return out;
}

Task<Result<FetchedGroups>> FetchGroups(Core core, AggregatedByPath known, CallOptions call) {
  Fetch fetch(std::move(core), std::move(known), std::move(call));
  Result<void> done = co_await fetch.Run();
  if (!done) co_return std::move(done).error();
  co_return fetch.Take();
}

Task<Result<ApiGroupVersion>> FetchVersion(Core core, ApiGroupVersion version, CallOptions call) {
  const std::string accept(kJsonMediaType);
  const std::string none;
  Result<Fetched> fetched =
      co_await GetJson(std::move(core), TargetOf(version), accept, none, std::move(call));
  if (!fetched && CallerEnded(fetched.error())) co_return std::move(fetched).error();
  version.error.clear();
  version.reason = Reason::kUnknown;
  version.stale = false;
  version.resources.clear();
  if (!fetched) {
    SetFailed(version, fetched.error());  // the other groups can be used nevertheless
    co_return version;
  }
  const Result<void> filled = FillFromResourceList(fetched->document, version);
  if (!filled) SetFailed(version, filled.error());
  co_return version;
}

}  // namespace kinformer::internal::client
