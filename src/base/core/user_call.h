// base/core/user_call.h
//
// Calls functions of the user: a warning handler, a tweak, a trace. Exceptions are stopped here:
// otherwise they would pass through libcurl's C code, or abort a task of the loop, and code that
// waits for that task would wait forever.

#ifndef KINFORMER_BASE_CORE_USER_CALL_H_
#define KINFORMER_BASE_CORE_USER_CALL_H_

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"

namespace kinformer::internal::base {

// Returns the current exception as text. Call inside a catch block.
[[nodiscard]] std::string Thrown();

// Logs the exception of the user's `function`, counts it in kinformer_user_exceptions_total, and
// returns it as an Error. `of`: which object or request; empty if there is only one. Call inside a
// catch block.
Error ReportThrown(Env& env, std::string_view function, const std::string& of = {});

// Logs and counts an exception in the same way, but with the text `what`, if the exception's text
// must not be shown.
void ReportThrownText(Env& env, std::string_view function, const std::string& of,
                      const std::string& what);

// Like ReportThrown, for code without an Env: returns an Error of `reason` that describes the
// exception. ReportCarried later logs and counts it, and ignores other errors. Call inside a catch
// block.
Error CarryThrown(Reason reason, std::string_view function, const std::string& of);
void ReportCarried(Env& env, const Error& error);

// Runs `call`, the user's `function`. Returns an error if it threw, which is logged and counted.
// `of` returns the text for ReportThrown, and is called only if needed.
template <class Call, class Of>
Result<void> CallUser(Env& env, std::string_view function, Call&& call, const Of& of) {
  try {
    std::forward<Call>(call)();
  } catch (...) {
    return ReportThrown(env, function, of());
  }
  return {};
}
template <class Call>
Result<void> CallUser(Env& env, std::string_view function, Call&& call) {
  return CallUser(env, function, std::forward<Call>(call), [] { return std::string(); });
}

// Like above for functions that return a Result: an exception becomes its error.
template <class Call, class Of>
std::invoke_result_t<Call> CallUserForResult(Env& env, std::string_view function, Call&& call,
                                             const Of& of) {
  try {
    return std::forward<Call>(call)();
  } catch (...) {
    return ReportThrown(env, function, of());
  }
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_USER_CALL_H_
