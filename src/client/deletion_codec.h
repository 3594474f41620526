// client/deletion_codec.h
//
// Encoding of a delete on the wire: its options, and the decoding of its answer.

#ifndef KINFORMER_CLIENT_DELETION_CODEC_H_
#define KINFORMER_CLIENT_DELETION_CODEC_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/resource_core.h"

namespace kinformer::internal::client {

// Returns the body of a DELETE.
std::string DeleteOptionsJson(const DeleteOptions& options);

// Decodes the answer of code `status`, in JSON: an object of `type`, or a Status of success. Errors
// are those of DecodeObject.
Result<DeletionAnswer> DecodeDeletion(const KindInfo& type, int status,
                                      std::string_view content_type, std::string_view body);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_DELETION_CODEC_H_
