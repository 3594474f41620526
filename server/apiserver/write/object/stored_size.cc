#include "apiserver/write/object/stored_size.h"

#include <string>

#include "kinformer/base/error.h"

#include "object/transcode/transcode.h"

namespace kinformer::apiserver {

Result<void> CheckStoredSize(const ResourceAt& at, const StoredObject& stored,
                             const json::Value& object, std::size_t most) {
  std::size_t size = stored.body().size();
  if (most == 0 || size <= most) return {};
  // A real server stores built-in kinds as protobuf, which is smaller.
  if (const auto* message = at.version->message; message != nullptr) {
    const auto bytes = internal::JsonToProtobuf(*message, object.Dump());
    if (bytes && bytes->size() <= most) return {};
    if (bytes) size = bytes->size();
  }
  // Limit of messages from the real server to etcd.
  constexpr std::size_t kMostSent = std::size_t{2} << 20;
  return Error(Reason::kUnknown, size <= kMostSent
                                     ? "etcdserver: request is too large"
                                     : "rpc error: code = ResourceExhausted desc = trying to send "
                                       "message larger than max (" +
                                           std::to_string(size) + " vs. " +
                                           std::to_string(kMostSent) + ")")
      .WithHttpStatus(500);
}

}  // namespace kinformer::apiserver
