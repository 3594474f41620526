#include "base/user_call.h"

#include <exception>

#include "kinformer/log.h"
#include "kinformer/metrics.h"

namespace kinformer::internal::base {

std::string Thrown() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

Error ReportThrown(Env& env, std::string_view function, const std::string& of) {
  const std::string what = Thrown();
  env.log().Log(LogLevel::kError, "a function of the program's threw",
                {{"function", std::string(function)}, {"of", of}, {"err", what}});
  env.metrics()
      .NewCounter("kinformer_user_exceptions_total",
                  "What functions that the program gave the library have thrown.",
                  {{"function", function}})
      ->Add();
  return Error(Reason::kUnknown,
               std::string(function) + (of.empty() ? "" : " of " + of) + " threw: " + what);
}

}  // namespace kinformer::internal::base
