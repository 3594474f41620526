#include "controller/debug/debug_page.h"

#include <string>
#include <string_view>
#include <utility>

#include "controller/debug/page_files.h"
#include "controller/endpoints/call_thread.h"
#include "controller/endpoints/text_response.h"
#include "transport/responses.h"

namespace kinformer::internal::debug {
namespace {

using transport::WholeBody;

// Scripts and styles are files of the page alone; nothing is loaded from elsewhere, and no other
// page may show this one in a frame.
constexpr std::string_view kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::unique_ptr<ResponseStream> FileResponse(std::string_view type, std::string text) {
  HttpHeaders headers;
  headers.Add("Content-Type", type);
  headers.Add("Content-Security-Policy", kContentPolicy);
  headers.Add("X-Content-Type-Options", "nosniff");
  headers.Add("X-Frame-Options", "DENY");
  headers.Add("Referrer-Policy", "no-referrer");
  headers.Add("Cross-Origin-Resource-Policy", "same-origin");
  headers.Add("Cache-Control", "no-store");
  return std::make_unique<WholeBody>(200, std::move(headers), std::move(text));
}

class DebugPage final : public Handler {
 public:
  DebugPage(Env& env, std::function<DebugState()> state)
      : state_(std::move(state)), thread_(env, "debug page") {}

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (request.method != "GET" && request.method != "HEAD") {
      return endpoints::TextResponse(405, "only GET and HEAD are answered here\n");
    }
    const std::string_view path =
        std::string_view(request.target)
            .substr(std::string_view(kDebugPage).size(),
                    request.target.find('?') - std::string_view(kDebugPage).size());
    if (path.empty()) return FileResponse("text/html; charset=utf-8", std::string(kPageHtml));
    if (path == "/page.js") {
      return FileResponse("text/javascript; charset=utf-8", std::string(kPageScript));
    }
    if (path == "/page.css") {
      return FileResponse("text/css; charset=utf-8", std::string(kPageStyle));
    }
    if (path != "/state.json") return endpoints::NotFoundResponse();
    return thread_.Answer([this](const std::stop_token&) {
      return [text = ToJson(state_())] { return FileResponse("application/json", text); };
    });
  }

 private:
  const std::function<DebugState()> state_;
  endpoints::CallThread thread_;
};

}  // namespace

std::shared_ptr<Handler> NewDebugPage(Env& env, std::function<DebugState()> state) {
  return std::make_shared<DebugPage>(env, std::move(state));
}

}  // namespace kinformer::internal::debug
