#include "cli/report.h"

#include <algorithm>
#include <iostream>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

constexpr std::size_t kMaxForeignText = 200;

// Returns advice, unless the error's message contains it already.
std::string Remedy(const Error& error, const std::string& origin) {
  const std::string who = origin.empty() ? std::string("the kubeconfig") : origin;
  switch (error.reason()) {
    case Reason::kUnauthorized:
      return "The server does not accept the credentials of " + who +
             ": log in again, or check its user's token or certificate (to an http:// server none "
             "is sent)";
    case Reason::kForbidden:
      return "Ask for a role that allows it; `kubectl auth can-i --list` shows what you may do";
    case Reason::kDeadlineExceeded:
      return "Is the server overloaded, or something between here and there in the way?";
    case Reason::kTooManyRequests:
    case Reason::kServiceUnavailable:
      return "The server is busy or starting: try again in a while";
    default:
      return {};
  }
}

}  // namespace

std::string ErrorLine(const Error& error, const std::string& origin) {
  std::string line = "error: " + error.message();
  // Appends the text of a response that did not come from an API server.
  for (const StatusCause& cause : error.details().causes) {
    if (cause.reason != "UnexpectedServerResponse" || cause.message == "unknown") continue;
    if (line.find(cause.message) == std::string::npos) {
      line += " (" + cause.message.substr(0, kMaxForeignText) + ")";
    }
  }
  const std::string remedy = Remedy(error, origin);
  if (!remedy.empty()) {
    while (!line.empty() && (line.back() == '.' || line.back() == '\n')) line.pop_back();
    line += ". " + remedy;
  }
  // Line breaks become blanks, which read better than escapes.
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return Printable(line);
}

int Fail(const Error& error, const std::string& origin) {
  std::cerr << ErrorLine(error, origin) << '\n';
  return kFailure;
}

int UsageError(const std::string& message) {
  std::cerr << "error: " << Printable(message) << '\n';
  return kUsageError;
}

int UsageOrFailure(const Error& error, const std::string& origin) {
  if (error.reason() == Reason::kInvalidArgument) return UsageError(error.message());
  return Fail(error, origin);
}

}  // namespace kinformer::cli
