// apiserver/write/request_body.h
//
// Request bodies: JSON, YAML or protobuf into a json::Value.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_BODY_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_BODY_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/request/request_info.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// What it costs to decode a body, in bytes of JSON.
std::size_t DecodingCost(std::string_view content_type, std::string_view body);

// By Content-Type; none is JSON. UnsupportedMediaType or BadRequest. `duplicates`, if given,
// receives what is to be said of members that occur twice: `duplicate field "data.a"`, and of YAML
// `line 8: key "a" already set in map`.
Result<json::Value> DecodeBody(std::string_view content_type, std::string_view body,
                               std::vector<std::string>* duplicates = nullptr);

// An object for that resource: apiVersion and kind are filled in, and must not be others.
Result<json::Value> DecodeObject(const ResourceAt& at, std::string_view content_type,
                                 std::string_view body,
                                 std::vector<std::string>* duplicates = nullptr);

// DeleteOptions from the body, or from the query where there is no body.
struct DecodedDelete {
  DeleteRequest request{};
  bool dry_run = false;
  // It asked for `orphanDependents: false`, and an object that stays for now is 202.
  bool cascades = false;
};
Result<DecodedDelete> DecodeDelete(const Query& query, std::string_view content_type,
                                   std::string_view body);
// The same from an object that holds them; null: no options.
Result<DecodedDelete> DeleteOptionsOf(const json::Value& options);

// What the query of a create, update or patch says, apart from the body.
struct WriteQuery {
  bool dry_run = false;
  std::string field_validation{};  // Ignore, Warn or Strict
};
// `kind` names the options in errors: CreateOptions, UpdateOptions, PatchOptions. `causes`: what
// else is wrong with them.
Result<WriteQuery> DecodeWriteQuery(const Query& query, std::string_view kind,
                                    std::vector<StatusCause> causes = {});

// A Go duration: "32s", "1m30s".
bool IsGoDuration(std::string_view text);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_BODY_H_
