// controller/endpoints/text_response.h

#ifndef KINFORMER_CONTROLLER_ENDPOINTS_TEXT_RESPONSE_H_
#define KINFORMER_CONTROLLER_ENDPOINTS_TEXT_RESPONSE_H_

#include <memory>
#include <string>

#include "kinformer/client/transport.h"

namespace kinformer::internal::endpoints {

// Returns a plain text response. A 401 also asks for a bearer token.
std::unique_ptr<ResponseStream> TextResponse(int status, std::string text);

// Returns 404 with the text of Go's servers.
std::unique_ptr<ResponseStream> NotFoundResponse();

}  // namespace kinformer::internal::endpoints

#endif  // KINFORMER_CONTROLLER_ENDPOINTS_TEXT_RESPONSE_H_
