// apiserver/server/manifest_errors.h
//
// Errors of ApiServer::Load for authors of manifests: in contrast to errors of requests, they also
// say what to change in the file.

#ifndef KINFORMER_APISERVER_SERVER_MANIFEST_ERRORS_H_
#define KINFORMER_APISERVER_SERVER_MANIFEST_ERRORS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// Returns "Pod web", or with several documents "document 2 (Pod web)".
std::string DocumentName(const json::Value& document, std::size_t number, std::size_t count);

// Returns the error for a document whose kind is not served: its head is incomplete, the kind has
// another version or another spelling, resembles one of its group, or needs a definition.
Error UnknownKind(const ResourceTable& resources, const json::Value& document);

// Returns the error of a write, with a remedy if the file can be corrected.
Error OfManifest(const Error& error);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_MANIFEST_ERRORS_H_
