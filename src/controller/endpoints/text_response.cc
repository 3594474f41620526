#include "controller/endpoints/text_response.h"

#include <utility>

#include "transport/responses.h"

namespace kinformer::internal::endpoints {

std::unique_ptr<ResponseStream> TextResponse(int status, std::string text) {
  HttpHeaders headers;
  headers.Add("Content-Type", "text/plain; charset=utf-8");
  // Browsers must not treat the text as a page.
  headers.Add("X-Content-Type-Options", "nosniff");
  if (status == 401) headers.Add("WWW-Authenticate", "Bearer");
  return std::make_unique<transport::WholeBody>(status, std::move(headers), std::move(text));
}

std::unique_ptr<ResponseStream> NotFoundResponse() {
  return TextResponse(404, "404 page not found\n");
}

}  // namespace kinformer::internal::endpoints
