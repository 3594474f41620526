// apiserver/write/request/shared_storing.h
//
// StoreShared: stores what a request writes where other servers write, too, before it is committed.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_SHARED_STORING_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_SHARED_STORING_H_

#include "kinformer/base/result.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Both return false if another write came first: the attempt must be repeated. Without a shared
// storage they do nothing.
Task<Result<bool>> StoreShared(ServerState& state, Draft& draft);
Task<Result<bool>> StoreShared(ServerState& state, const WriteTarget& target, Deletion& deletion);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_SHARED_STORING_H_
