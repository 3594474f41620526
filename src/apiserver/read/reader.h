// apiserver/read/reader.h
//
// Reader: get, list and watch: the tables of resourceVersion, resourceVersionMatch, limit, continue
// and sendInitialEvents.

#ifndef KINFORMER_APISERVER_READ_READER_H_
#define KINFORMER_APISERVER_READ_READER_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "kinformer/result.h"

#include "apiserver/read/frame_maker.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/read/watch_stream.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Loop-confined. Errors come back as responses.
class Reader {
 public:
  // Both must outlive it.
  Reader(ServerState& state, OffLoop& off_loop)
      : state_(state), off_loop_(off_loop), frames_(off_loop) {}

  ResponsePtr Get(const std::shared_ptr<const ResourceRequest>& request);
  ResponsePtr List(const std::shared_ptr<const ResourceRequest>& request);
  ResponsePtr Watch(const std::shared_ptr<const ResourceRequest>& request);

 private:
  ResponsePtr GetAt(const std::shared_ptr<const ResourceRequest>& asked_for, bool reached);
  ResponsePtr ListAt(const ResourceRequest& request, bool reached);
  [[nodiscard]] Result<ListPlan> PlanList(const ResourceRequest& request);
  // The page that a token asks for.
  Result<void> ResumeList(const ResourceRequest& request, std::string_view continue_,
                          ListPlan& plan);
  // Which state a list shows that is no later page.
  Result<void> ChooseListVersion(const ResourceRequest& request, ListPlan& plan) const;
  // Its version is the one that is asked for; the caller settles with which one the watch begins.
  [[nodiscard]] Result<WatchPlan> PlanWatch(const ResourceRequest& request) const;
  ResponsePtr StartWatch(const ResourceRequest& request, WatchPlan plan);
  // It has not been issued here, and may have been by a server that was here before.
  [[nodiscard]] bool IsOfEarlierServer(std::int64_t version) const;
  // `versions` before the latest one, but at least `oldest`.
  [[nodiscard]] std::int64_t Earlier(std::int64_t versions, std::int64_t oldest) const;

  ServerState& state_;
  OffLoop& off_loop_;
  FrameMaker frames_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_READER_H_
