// apiserver/read/reader.h
//
// Reader: get, list and watch, with the semantics of resourceVersion, resourceVersionMatch, limit,
// continue and sendInitialEvents.

#ifndef KINFORMER_APISERVER_READ_READER_H_
#define KINFORMER_APISERVER_READ_READER_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "kinformer/base/result.h"

#include "apiserver/conversion/object_converter.h"
#include "apiserver/conversion/version_caches.h"
#include "apiserver/read/frame_maker.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/read/watch_stream.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Loop-confined. Errors are returned as responses.
class Reader {
 public:
  // All must outlive it.
  Reader(ServerState& state, OffLoop& off_loop, ObjectConverter& converter, VersionCaches& caches)
      : state_(state),
        off_loop_(off_loop),
        converter_(converter),
        caches_(caches),
        frames_(off_loop) {}

  ResponsePtr Get(const std::shared_ptr<const ResourceRequest>& request);
  ResponsePtr List(const std::shared_ptr<const ResourceRequest>& request);
  ResponsePtr Watch(const std::shared_ptr<const ResourceRequest>& request);

 private:
  ResponsePtr GetAt(const std::shared_ptr<const ResourceRequest>& asked_for, bool reached);
  // Responds to a GET with an object that must be converted, or takes long to encode.
  Task<ResponsePtr> Show(std::shared_ptr<const ResourceRequest> asked_for, StoredObjectPtr stored);
  ResponsePtr ListAt(const std::shared_ptr<const ResourceRequest>& asked_for, bool reached);
  ResponsePtr ListFrom(const ResourceRequest& request, const ReadFrom& from);
  // Empty if the server does not select by shards.
  [[nodiscard]] std::string_view ShardSelectorOf(const Query& query) const;
  [[nodiscard]] Result<ListPlan> PlanList(const ResourceRequest& request, const ReadFrom& from);
  // Plans the page that a continue token requests.
  Result<void> ResumeList(const ResourceRequest& request, const ReadFrom& from,
                          std::string_view continue_, ListPlan& plan);
  // Chooses the version that a list shows; not for pages with a token.
  Result<void> ChooseListVersion(const ResourceRequest& request, const ReadFrom& from,
                                 ListPlan& plan);
  // Plans a watch at the requested version; the caller may change the version at which it begins.
  [[nodiscard]] Result<WatchPlan> PlanWatch(const ResourceRequest& request) const;
  // Start a watch of events after a version, and one that begins with the state.
  ResponsePtr WatchAfter(const ResourceRequest& request, const ReadFrom& from, WatchPlan plan);
  ResponsePtr WatchState(const std::shared_ptr<const ResourceRequest>& request, WatchPlan plan);
  ResponsePtr WatchStateFrom(const ResourceRequest& request, const ReadFrom& from, WatchPlan plan);
  ResponsePtr StartWatch(const ResourceRequest& request, const ResourceAt& at, WatchPlan plan);
  // Returns a watch that sends `error` as its only event, and ends.
  ResponsePtr FailedWatch(const ResourceRequest& request, WatchPlan plan, const Error& error);
  // Returns whether the version was not issued here, but maybe by an earlier server.
  [[nodiscard]] bool IsOfEarlierServer(std::int64_t version) const;

  ServerState& state_;
  OffLoop& off_loop_;
  ObjectConverter& converter_;
  VersionCaches& caches_;
  FrameMaker frames_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_READER_H_
