// apiserver/server/manifest_errors.h
//
// Errors of ApiServer::Load for people who write files: a request is answered as by any API server,
// and who loads a file also wants to know what to write in it.

#ifndef KINFORMER_APISERVER_SERVER_MANIFEST_ERRORS_H_
#define KINFORMER_APISERVER_SERVER_MANIFEST_ERRORS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// "Pod web", and which document it is where there are several: "document 2 (Pod web)".
std::string DocumentName(const json::Value& document, std::size_t number, std::size_t count);

// Nobody serves the document's kind: its head lacks something, the kind is another version's, is
// written differently or almost like another one of its group, or needs a definition.
Error UnknownKind(const ResourceTable& resources, const json::Value& document);

// The error of writing the document, with the remedy where that is a matter of the file.
Error OfManifest(const Error& error);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_MANIFEST_ERRORS_H_
