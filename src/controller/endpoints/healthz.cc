#include "kinformer/endpoints/healthz.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/core/user_call.h"
#include "controller/endpoints/call_thread.h"
#include "controller/endpoints/text_response.h"
#include "transport/query.h"

namespace kinformer::healthz {
namespace {

using kinformer::internal::endpoints::CallThread;
using kinformer::internal::endpoints::NotFoundResponse;
using kinformer::internal::endpoints::TextResponse;
using kinformer::internal::transport::PercentDecode;
using kinformer::internal::transport::Query;

// Parameters of a request.
struct Question {
  std::string name{};  // name of the one check; empty: all checks
  std::set<std::string> excluded{};
  bool verbose = false;
};

// Content of the answer.
struct Report {
  int status = 200;
  std::string text{};
};

// Returns nullopt if the target is not below `path`.
std::optional<Question> QuestionOf(std::string_view target, std::string_view path) {
  const std::size_t mark = target.find('?');
  std::string decoded;
  if (!PercentDecode(target.substr(0, mark), false, decoded)) return std::nullopt;
  if (!decoded.starts_with(path)) return std::nullopt;
  Question question{.name = decoded.substr(path.size())};
  if (!question.name.empty() && question.name.front() != '/') return std::nullopt;
  while (question.name.starts_with('/')) question.name.erase(0, 1);
  while (question.name.ends_with('/')) question.name.pop_back();
  if (mark == std::string_view::npos) return question;
  const Query query(target.substr(mark + 1));
  question.verbose = query.Has("verbose");
  for (std::string& name : query.All("exclude")) question.excluded.insert(std::move(name));
  return question;
}

Result<void> Run(Env& env, const std::string& name, const Checker& check) {
  Result<void> well;
  const Result<void> called = kinformer::internal::base::CallUser(
      env, "health check", [&] { well = check(); }, [&] { return name; });
  return called ? well : called;
}

Report ReportOne(Env& env, const std::string& name, const Checker& check) {
  const Result<void> well = Run(env, name, check);
  if (well) return {.text = "ok"};
  return {.status = 500, .text = "internal server error: " + well.error().message() + "\n"};
}

// Returns `"a", "b"`.
std::string Quoted(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text.append(text.empty() ? "\"" : ", \"").append(name).push_back('"');
  }
  return text;
}

Report ReportAll(Env& env, const Checks& checks, Question question) {
  std::string lines;
  bool failed = false;
  for (const auto& [name, check] : checks) {
    if (question.excluded.erase(name) > 0) {
      lines += "[+]" + name + " excluded: ok\n";
      continue;
    }
    const Result<void> well = Run(env, name, check);
    lines += well ? "[+]" + name + " ok\n" : "[-]" + name + " failed: reason withheld\n";
    if (well) continue;
    failed = true;
    env.log().Log(LogLevel::kWarning, "a health check failed",
                  {{"check", name}, {"err", well.error().ToString()}});
  }
  if (!failed && !question.verbose) return {.text = "ok"};
  if (!question.excluded.empty()) {
    lines += "warn: some health checks cannot be excluded: no matches for " +
             Quoted(question.excluded) + "\n";
  }
  lines += failed ? "healthz check failed\n" : "healthz check passed\n";
  return {.status = failed ? 500 : 200, .text = std::move(lines)};
}

}  // namespace

struct Handler::Impl {
  Impl(Env& e, Checks given, std::string at)
      : env(e),
        has_checks(!given.empty()),
        checks(has_checks ? std::move(given) : Checks{{"ping", Ping}}),
        path(std::move(at)),
        thread(e, "healthz") {}

  [[nodiscard]] Report Answer(const Question& question) const {
    if (question.name.empty()) return ReportAll(env, checks, question);
    const auto& [name, check] = *checks.find(question.name);
    return ReportOne(env, name, check);
  }

  Env& env;
  const bool has_checks;
  const Checks checks;
  const std::string path;
  CallThread thread;
};

Handler::Handler(Env& env, Checks checks, std::string path)
    : impl_(std::make_unique<Impl>(env, std::move(checks), std::move(path))) {}
Handler::~Handler() = default;

std::unique_ptr<ResponseStream> Handler::Handle(HttpRequest request) {
  const std::optional<Question> question = QuestionOf(request.target, impl_->path);
  if (!question) return NotFoundResponse();
  if (!question->name.empty() && !impl_->checks.contains(question->name)) return NotFoundResponse();
  if (!impl_->has_checks) {
    Report report = impl_->Answer(*question);
    return TextResponse(report.status, std::move(report.text));
  }
  return impl_->thread.Answer([impl = impl_.get(), question = *question](const std::stop_token&) {
    return [report = impl->Answer(question)] { return TextResponse(report.status, report.text); };
  });
}

}  // namespace kinformer::healthz
