// apiserver/server/whole_state.h
//
// Saves all that a server stores, and replaces it.

#ifndef KINFORMER_APISERVER_SERVER_WHOLE_STATE_H_
#define KINFORMER_APISERVER_SERVER_WHOLE_STATE_H_

#include <cstdint>

#include "kinformer/base/result.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/store/saved_state.h"
#include "apiserver/store/storage.h"
#include "apiserver/write/background/lifecycle.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Returns the objects as they are now. Costs as much as walking them.
SavedState WholeState(const ServerState& state);

// Replaces everything that is stored, and sets the sequence of resourceVersions to
// `resource_version`. History begins at that of the saved state, but has only its later versions.
// Ends all watches with 410, and has all parts of the server look at the objects again. Changes
// nothing if it fails: kInvalidArgument, if the state has objects that this server would not serve.
Result<void> ReplaceState(ServerState& state, Lifecycle& lifecycle, ObjectWriter& writer,
                          SavedState saved, std::int64_t resource_version);

// Makes `kept`, which the storage of a server has, its state; writes go to the storage from now on.
// Resources that the server does not serve stay in the storage, with a warning.
void TakeUpState(ServerState& state, Lifecycle& lifecycle, ObjectWriter& writer, KeptState kept);

// Begins with the objects of a shared storage, or begins again with them: watches get 410.
void TakeUpShared(ServerState& state, Lifecycle& lifecycle, ObjectWriter& writer, SavedState saved);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_WHOLE_STATE_H_
