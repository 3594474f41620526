// apiserver/read/list_stream.h
//
// ListStream: the response to a LIST: the objects of one version of a collection, encoded as the
// reader takes them.

#ifndef KINFORMER_APISERVER_READ_LIST_STREAM_H_
#define KINFORMER_APISERVER_READ_LIST_STREAM_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/client/transport.h"

#include "apiserver/registry/selection.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/store/resource_store.h"

namespace kinformer::apiserver {

// Position between two pages, encoded in the `continue` parameter.
struct ContinueToken {
  std::int64_t resource_version = 0;  // -1: the latest
  std::string start{};  // first key of the page, without the namespace in a list of one namespace
  std::int64_t remaining = 0;  // number of objects from there on
};
std::string EncodeContinue(const ContinueToken& token);
// Returns BadRequest for an invalid token.
Result<ContinueToken> DecodeContinue(std::string_view text);

struct ListPlan {
  Selection selection{};
  std::int64_t resource_version = 0;
  std::string from{};          // first key to visit
  std::int64_t limit = 0;      // 0: no limit
  std::int64_t remaining = 0;  // objects from `from` on, for a list in pages
};

// A list without limit holds a pin and a position; one with a limit also the objects of its page.
// Each Read is bounded by time and by count, in every format and for any selector; large objects
// that are not sent as stored text are encoded off the loop.
std::unique_ptr<ResponseStream> NewListStream(Env& env, OffLoop& off_loop,
                                              const ObjectEncoder& encoder, ListPlan plan);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_LIST_STREAM_H_
