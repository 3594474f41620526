#include "cli/log_request.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/text/number_in.h"

namespace kinformer::cli {
namespace {

constexpr std::int64_t kTailOfMany = 10;

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

// Reads a whole number of at least `least`; nothing for an empty text.
Result<std::optional<std::int64_t>> NumberOf(const std::string& option, const std::string& text,
                                             std::int64_t least) {
  if (text.empty()) return std::optional<std::int64_t>();
  const std::optional<std::int64_t> number = internal::base::NumberIn(text);
  if (!number || *number < least) {
    return Invalid(option + ": \"" + text + "\" is no number from " + std::to_string(least) +
                   " on");
  }
  return number;
}

Result<void> ReadLimits(const LogFlags& flags, LogRequest& request) {
  const auto tail = NumberOf("--tail", flags.tail, -1);
  if (!tail) return tail.error();
  if (*tail && **tail >= 0) request.log.tailLines = *tail;
  if (!*tail && request.many) request.log.tailLines = kTailOfMany;
  const auto limit = NumberOf("--limit-bytes", flags.limit_bytes, 1);
  if (!limit) return limit.error();
  request.log.limitBytes = *limit;
  if (*limit && request.follow && (request.many || flags.all_containers)) {
    return Invalid("--limit-bytes ends a log: with -f it is for one container");
  }
  const auto most = NumberOf("--max-log-requests", flags.max_log_requests, 1);
  if (!most) return most.error();
  if (*most) request.max_streams = static_cast<std::size_t>(**most);
  if (flags.since_seconds > 0 && !flags.since_time.empty()) {
    return Invalid("give one of --since and --since-time");
  }
  if (flags.since_seconds > 0) {
    request.log.sinceSeconds = static_cast<std::int64_t>(std::ceil(flags.since_seconds));
  }
  if (!flags.since_time.empty()) {
    const Result<metav1::Time> time = metav1::Time::Parse(flags.since_time);
    if (!time) {
      return Invalid("--since-time: \"" + flags.since_time +
                     "\" is no time like 2024-01-02T03:04:05Z");
    }
    request.log.sinceTime = *time;
  }
  return {};
}

Result<void> ReadPatterns(const LogFlags& flags, const std::string& container,
                          LogRequest& request) {
  const auto into = [](std::vector<NamePattern>& where, Result<std::vector<NamePattern>> read) {
    if (!read) return Result<void>(read.error());
    where = *std::move(read);
    return Result<void>();
  };
  const auto listed = [](const std::string& text) {
    return text.empty() ? std::vector<std::string>() : std::vector<std::string>{text};
  };
  Result<void> done;
  if (request.many) {
    const bool named = flags.target.find('/') == std::string::npos;
    done = into(request.filter.pods, ParsePatterns(listed(named ? flags.target : ""), "POD"));
    if (done) done = into(request.filter.containers, ParsePatterns(listed(container), "-c"));
  }
  if (done) {
    done = into(request.filter.not_pods, ParsePatterns(flags.exclude_pods, "--exclude-pod"));
  }
  if (done) {
    done = into(request.filter.not_containers,
                ParsePatterns(flags.exclude_containers, "--exclude-container"));
  }
  if (done) done = into(request.include, ParseExpressions(flags.include, "--include"));
  if (done) done = into(request.exclude, ParseExpressions(flags.exclude, "--exclude"));
  return done;
}

LogFormat FormatOf(const LogFlags& flags, bool many, bool colors) {
  LogFormat format;
  format.prefix = flags.prefix;
  format.timestamps = flags.timestamps;
  format.colors = colors;
  format.namespaces = flags.all_namespaces;
  if (flags.output == "json") {
    format.form = LogFormat::Form::kJson;
  } else if (flags.output == "default" || (flags.output.empty() && many)) {
    format.form = LogFormat::Form::kPods;
  }
  return format;
}

}  // namespace

bool LogRequest::Has(std::string_view text) const {
  return (include.empty() || MatchesAny(include, text)) && !MatchesAny(exclude, text);
}

Result<LogRequest> ReadLogFlags(const LogFlags& flags, bool colors) {
  const bool slash = flags.target.find('/') != std::string::npos;
  const std::string& container =
      flags.container_option.empty() ? flags.container : flags.container_option;
  LogRequest request;
  request.many = !flags.label_selector.empty() || flags.all_namespaces ||
                 (slash && flags.all_pods) || (!slash && IsExpression(flags.target));
  request.follow = flags.follow;
  request.log.previous = flags.previous;
  if (flags.target.empty() && !request.many) {
    return Invalid(
        "which pod? Give its name, RESOURCE/NAME, an expression such as 'web-.*', or "
        "-l SELECTOR");
  }
  if (!flags.label_selector.empty() && slash) {
    return Invalid("-l chooses the pods: " + flags.target + " is one choice too many");
  }
  if (flags.follow && flags.previous) {
    return Invalid(
        "--previous is for a container that has ended: nothing follows, so leave out -f");
  }
  if (!container.empty() && flags.all_containers) {
    return Invalid("give one of -c and --all-containers");
  }
  if (Result<void> read = ReadLimits(flags, request); !read) return read.error();
  if (Result<void> read = ReadPatterns(flags, container, request); !read) return read.error();
  request.format = FormatOf(flags, request.many, colors);
  request.log.container = container;
  request.log.timestamps = flags.timestamps || request.format.form == LogFormat::Form::kJson;
  return request;
}

}  // namespace kinformer::cli
