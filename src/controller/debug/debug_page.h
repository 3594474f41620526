// controller/debug/debug_page.h
//
// DebugPage: the handler of /debug/kinformer, a page for people that shows what a manager does.

#ifndef KINFORMER_CONTROLLER_DEBUG_DEBUG_PAGE_H_
#define KINFORMER_CONTROLLER_DEBUG_DEBUG_PAGE_H_

#include <functional>
#include <memory>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

#include "controller/debug/debug_state.h"

namespace kinformer::internal::debug {

constexpr const char* kDebugPage = "/debug/kinformer";

// Returns the handler. It answers
//   /debug/kinformer             the page
//   /debug/kinformer/page.js     its script, and page.css, its style
//   /debug/kinformer/state.json  DebugState as JSON
// with headers by which a browser runs and loads nothing but these. Other paths are 404, and other
// methods than GET and HEAD 405.
//
// `state` is called on a thread of the handler, by one caller at a time. Destruction waits for it,
// and must come after the end of the server that passes on requests. `env` must outlive it.
std::shared_ptr<Handler> NewDebugPage(Env& env, std::function<DebugState()> state);

}  // namespace kinformer::internal::debug

#endif  // KINFORMER_CONTROLLER_DEBUG_DEBUG_PAGE_H_
