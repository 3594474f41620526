// apiserver/server/flow_schemas.h
//
// FlowSchemas: which flow schema and priority level a request belongs to, as a server with API
// priority and fairness says in its answers. No request is queued or refused here.

#ifndef KINFORMER_APISERVER_SERVER_FLOW_SCHEMAS_H_
#define KINFORMER_APISERVER_SERVER_FLOW_SCHEMAS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/registry/user_info.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Loop-confined. Counterpart: the matching of util/flowcontrol.
class FlowSchemas {
 public:
  // `state` must outlive it.
  explicit FlowSchemas(ServerState& state) : state_(state) {}

  // The uids of a flow schema and its priority level; empty: no schema matches.
  struct Flow {
    std::string schema{};
    std::string level{};
  };
  [[nodiscard]] Flow FlowOf(const UserInfo& user, std::string_view method, const RequestInfo& info);
  // A schema or a level has changed.
  void Forget() { known_ = false; }

  // Adds the headers that name the flow.
  static ResponsePtr Named(ResponsePtr answer, Flow flow);

 private:
  struct Schema {
    std::int64_t precedence = 0;
    std::string name{};
    json::Value rules{};
    Flow flow{};
  };
  void Learn();

  ServerState& state_;
  std::vector<Schema> schemas_;
  bool known_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_FLOW_SCHEMAS_H_
