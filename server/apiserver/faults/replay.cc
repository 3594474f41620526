#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "kinformer/apiserver/recording.h"

#include "apiserver/errors/status.h"
#include "apiserver/faults/recording_format.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {
namespace {

// Time for which a watch without timeoutSeconds is held open.
constexpr Duration kWatchTimeout = std::chrono::minutes(30);

// Limit of a slowed recording's length: 30 years.
constexpr double kLongest = 1e18;

// Returns the target without parameters that may differ between equal requests.
std::string KeyOf(std::string_view target) {
  const std::size_t question = target.find('?');
  std::string key(target.substr(0, question));
  if (question == std::string_view::npos) return key;
  for (std::string_view rest = target.substr(question + 1); !rest.empty();) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view parameter = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (parameter.starts_with("timeoutSeconds=") || parameter.starts_with("timeout=") ||
        parameter.starts_with("resourceVersion=")) {
      continue;
    }
    key += '&';
    key += parameter;
  }
  return key;
}

std::string_view ResourceVersionOf(std::string_view target) {
  constexpr std::string_view kName = "resourceVersion=";
  for (std::size_t at = target.find(kName); at != std::string_view::npos;
       at = target.find(kName, at + 1)) {
    if (at == 0 || (target[at - 1] != '?' && target[at - 1] != '&')) continue;
    const std::string_view value = target.substr(at + kName.size());
    return value.substr(0, value.find('&'));
  }
  return {};
}

// Returns whether the client accepts the response's type: some cannot read protobuf.
bool Readable(std::string_view accept, const HttpHeaders& headers) {
  return headers.Get("Content-Type").find("protobuf") == std::string_view::npos ||
         accept.find("protobuf") != std::string_view::npos;
}

// Replays one recorded response at its pace.
class Recorded final : public ResponseStream {
 public:
  // `linger`: time for which a watch stays open and silent after the end of the recording.
  Recorded(Env& env, const RecordedExchange& exchange, std::shared_ptr<const std::string> bytes,
           double speed, bool watch, Duration linger)
      : env_(env),
        exchange_(exchange),
        bytes_(std::move(bytes)),
        speed_(speed),
        watch_(watch),
        start_(env.Now()),
        limit_(start_ + linger) {
    if (!ready()) ArmFor(Due(exchange_.head_at));
  }

  [[nodiscard]] bool ready() const override { return env_.Now() >= Due(exchange_.head_at); }
  [[nodiscard]] int status() const override { return exchange_.status; }
  [[nodiscard]] const HttpHeaders& headers() const override { return exchange_.headers; }
  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }

  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    std::size_t taken = 0;
    for (; next_ < exchange_.chunks.size(); ++next_) {
      const RecordedChunk& chunk = exchange_.chunks[next_];
      if (env_.Now() < Due(chunk.at)) return WaitFor(Due(chunk.at));
      if (taken >= max_bytes) return State::kMore;
      out.push_back({.bytes = chunk.bytes, .owner = bytes_});
      taken += chunk.bytes.size();
    }
    if (exchange_.ended) {
      if (env_.Now() < Due(*exchange_.ended)) return WaitFor(Due(*exchange_.ended));
      return exchange_.complete ? State::kEnd : State::kAbort;
    }
    if (!watch_) return State::kAbort;
    return env_.Now() < limit_ ? WaitFor(limit_) : State::kEnd;
  }

 private:
  [[nodiscard]] SteadyTime Due(Duration at) const {
    if (speed_ <= 0) return start_;
    const double nanos = std::min(static_cast<double>(at.count()) / speed_, kLongest);
    return start_ + Duration(static_cast<Duration::rep>(nanos));
  }
  State WaitFor(SteadyTime when) {
    ArmFor(when);
    return State::kWait;
  }
  void ArmFor(SteadyTime when) {
    timer_ = env_.loop().RunAt(when, [this] {
      if (wake_) wake_();
    });
  }

  Env& env_;
  const RecordedExchange exchange_;
  const std::shared_ptr<const std::string> bytes_;
  const double speed_;
  const bool watch_;
  const SteadyTime start_;
  const SteadyTime limit_;
  std::size_t next_ = 0;
  std::function<void()> wake_;
  Timer timer_;
};

}  // namespace

struct Replay::Impl {
  Impl(Env& e, Recording r, ReplayOptions o) : env(e), recording(std::move(r)), options(o) {
    for (std::size_t i = 0; i < recording.exchanges.size(); ++i) {
      // Without a response there is nothing to replay.
      if (recording.exchanges[i].status != 0) {
        by_key[KeyOf(recording.exchanges[i].target)].push_back({.index = i});
      }
    }
  }

  struct Candidate {
    std::size_t index = 0;
    bool used = false;
  };

  // Returns the exchange to replay; null if there is none, and `last` is the last one used.
  Candidate* Choose(const HttpRequest& request, Candidate*& last) {
    const auto found = by_key.find(KeyOf(request.target));
    if (found == by_key.end()) return nullptr;
    const std::string_view version = ResourceVersionOf(request.target);
    Candidate* next = nullptr;
    for (Candidate& candidate : found->second) {
      const RecordedExchange& exchange = recording.exchanges[candidate.index];
      if (!Readable(request.headers.Get("Accept"), exchange.headers)) continue;
      if (candidate.used) {
        last = &candidate;
        continue;
      }
      if (ResourceVersionOf(exchange.target) == version) return &candidate;
      if (next == nullptr) next = &candidate;
    }
    return next;
  }

  Env& env;
  const Recording recording;
  const ReplayOptions options;
  std::map<std::string, std::vector<Candidate>> by_key;
  std::size_t served = 0;
};

Result<std::unique_ptr<Replay>> Replay::FromBytes(Env& env, std::string recording,
                                                  ReplayOptions options) {
  auto parsed = ParseRecording(std::move(recording));
  if (!parsed) return parsed.error();
  return std::unique_ptr<Replay>(
      new Replay(std::make_unique<Impl>(env, *std::move(parsed), options)));
}

Result<std::unique_ptr<Replay>> Replay::Open(Env& env, const std::string& path,
                                             ReplayOptions options) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    return Error(Reason::kConfig, "recording " + path + ": cannot be read; is it there?");
  }
  auto replay = FromBytes(env, std::move(text).str(), options);
  if (!replay) return Error(replay.error()).WithContext("recording " + path);
  return replay;
}

Replay::Replay(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replay::~Replay() = default;

std::size_t Replay::exchanges() const { return impl_->recording.exchanges.size(); }
std::size_t Replay::served() const { return impl_->served; }
std::size_t Replay::unread_bytes() const { return impl_->recording.unread_bytes; }
std::size_t Replay::unfinished() const {
  const auto& all = impl_->recording.exchanges;
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const RecordedExchange& exchange) {
        if (exchange.ended) return false;
        const auto info = ParseRequest("GET", exchange.target);
        return !info || info->verb != Verb::kWatch;
      }));
}

std::unique_ptr<ResponseStream> Replay::Handle(HttpRequest request) {
  const std::string_view accept = request.headers.Get("Accept");
  const auto info = ParseRequest(request.method, request.target);
  if (!info) return ErrorResponse(info.error(), accept);
  if (request.method != "GET") return ErrorResponse(MethodNotAllowedError(), accept);
  const bool watch = info->verb == Verb::kWatch;
  const auto seconds = info->query.GetInt("timeoutSeconds");
  const bool limited = seconds && seconds->value_or(0) > 0 && **seconds < 86'400;
  const Duration linger = limited ? Duration(std::chrono::seconds(**seconds)) : kWatchTimeout;

  Impl::Candidate* last = nullptr;
  Impl::Candidate* chosen = impl_->Choose(request, last);
  if (chosen == nullptr && last != nullptr) {
    if (watch && impl_->recording.exchanges[last->index].status == 200) {
      RecordedExchange silence = impl_->recording.exchanges[last->index];
      silence.chunks.clear();
      silence.ended.reset();
      return std::make_unique<Recorded>(impl_->env, silence, nullptr, 0, true, linger);
    }
    chosen = last;
  }
  if (chosen == nullptr) {
    if (info->path == "/livez" || info->path == "/readyz" || info->path == "/healthz") {
      return WholeResponse(200, "text/plain; charset=utf-8", "ok");
    }
    return ErrorResponse(Error(Reason::kNotFound, "the recording holds no answer to GET " +
                                                      request.target + " that this client can read")
                             .WithHttpStatus(404),
                         accept);
  }
  chosen->used = true;
  ++impl_->served;
  return std::make_unique<Recorded>(impl_->env, impl_->recording.exchanges[chosen->index],
                                    impl_->recording.bytes, impl_->options.speed, watch, linger);
}

}  // namespace kinformer::apiserver
