// apiserver/read/list_stream.h
//
// ListStream: the answer to a LIST: the objects of one version of a collection, encoded while the
// reader takes them.

#ifndef KINFORMER_APISERVER_READ_LIST_STREAM_H_
#define KINFORMER_APISERVER_READ_LIST_STREAM_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/transport.h"

#include "apiserver/registry/selection.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/store/resource_store.h"

namespace kinformer::apiserver {

// Where one page ends and the next begins, as the `continue` parameter carries it.
struct ContinueToken {
  std::int64_t resource_version = 0;  // -1: the latest
  std::string start{};  // the key from which to go on, without the namespace if the list has one
  std::int64_t remaining = 0;  // how many objects the pages from there on hold
};
std::string EncodeContinue(const ContinueToken& token);
// BadRequest for anything that is no token.
Result<ContinueToken> DecodeContinue(std::string_view text);

struct ListPlan {
  Selection selection{};
  std::int64_t resource_version = 0;
  std::string from{};          // the first key to look at
  std::int64_t limit = 0;      // 0: all
  std::int64_t remaining = 0;  // objects from `from` on, where the page is one of several
};

// A list without a limit holds a pin and a position, nothing more; one with a limit holds its
// page's objects. Each Read has an end, by time and by count, in every format and whatever the
// selectors cost; large objects that are not sent as they are stored are encoded off the loop.
std::unique_ptr<ResponseStream> NewListStream(Env& env, OffLoop& off_loop,
                                              const ObjectEncoder& encoder, ListPlan plan);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_LIST_STREAM_H_
