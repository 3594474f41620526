#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <deque>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "kinformer/apiserver/recording.h"

#include "apiserver/errors/status.h"
#include "apiserver/faults/recording_format.h"
#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {
namespace {

// Returns whether a proxy forwards the header. All others concern one connection only, or identify
// the caller.
bool PassesUp(std::string_view name) {
  for (const std::string_view passed : {"Accept", "Content-Type", "User-Agent", "If-None-Match"}) {
    if (std::equal(name.begin(), name.end(), passed.begin(), passed.end(),
                   [](char a, char b) { return (a | 0x20) == (b | 0x20); })) {
      return true;
    }
  }
  return false;
}

bool PassesDown(std::string_view name) {
  for (const std::string_view kept :
       {"connection", "content-length", "content-encoding", "transfer-encoding", "keep-alive",
        "set-cookie", "date", "www-authenticate", "audit-id"}) {
    if (std::equal(name.begin(), name.end(), kept.begin(), kept.end(),
                   [](char a, char b) { return (a | 0x20) == b; })) {
      return false;
    }
  }
  return true;
}

// Returns whether the request can only read. A GET of a proxy, or of a command in a container, may
// have other effects.
bool OnlyReads(std::string_view method, const RequestInfo& info) {
  if (method != "GET" && method != "HEAD") return false;
  constexpr auto kReachThrough =
      std::to_array<std::string_view>({"proxy", "exec", "attach", "portforward"});
  return std::none_of(info.parts.begin(), info.parts.end(), [&](std::string_view part) {
    return std::find(kReachThrough.begin(), kReachThrough.end(), part) != kReachThrough.end();
  });
}

struct Closer {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};
using File = std::unique_ptr<std::FILE, Closer>;

// Makes an empty file that only its owner may read. Links are not followed, and an existing file
// must belong to this user, since others may have put theirs into a shared folder. Writes use the
// checked descriptor, so a later change of the path has no effect.
Result<File> MakePrivateFile(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY;
  const int fd = ::open(path.c_str(), kFlags, 0600);
  if (fd < 0 && errno == ELOOP) return Error(Reason::kConfig, "is a link, which is not followed");
  File file(fd < 0 ? nullptr : ::fdopen(fd, "wb"));
  if (fd >= 0 && file == nullptr) ::close(fd);
  struct stat about{};
  if (file == nullptr || ::fstat(fd, &about) != 0) {
    return Error(Reason::kConfig, "cannot be written; is its folder there, and writable?");
  }
  if (!S_ISREG(about.st_mode) || about.st_uid != ::geteuid() || about.st_nlink > 1) {
    return Error(Reason::kConfig,
                 "is there already, and is no regular file of this user's alone: name another one");
  }
  if (::fchmod(fd, 0600) != 0 || ::ftruncate(fd, 0) != 0) {
    return Error(Reason::kConfig, "cannot be written: " + std::generic_category().message(errno));
  }
  return file;
}

bool AsksForSecrets(const RequestInfo& info) {
  return std::find(info.parts.begin(), info.parts.end(), "secrets") != info.parts.end();
}

}  // namespace

struct Recorder::Core {
  Core(Env& e, std::shared_ptr<Transport> t, RecorderOptions o)
      : env(e), upstream(std::move(t)), options(o), start(e.Now()) {}

  [[nodiscard]] Duration Now() const { return env.Now() - start; }

  void Write(const std::string& frames) {
    if (failed) return;
    const bool written = std::fwrite(frames.data(), 1, frames.size(), file.get()) == frames.size();
    const bool flushed = std::fflush(file.get()) == 0;
    stats.bytes += frames.size();
    if (written && flushed) return;
    failed = true;
    env.log().Log(LogLevel::kWarning, "recording ends: the file cannot be written",
                  {{"file", path}});
  }

  Env& env;
  const std::shared_ptr<Transport> upstream;
  const RecorderOptions options;
  const SteadyTime start;
  std::string path;
  File file;
  bool failed = false;
  std::uint32_t next = 1;
  RecorderStats stats;

  class Stream;
};

// One request to the upstream server, and its answer.
class Recorder::Core::Stream final : public ResponseStream, private ResponseReceiver {
 public:
  // `number` is 0 where nothing is recorded.
  Stream(std::shared_ptr<Core> core, std::uint32_t number)
      : core_(std::move(core)), number_(number) {}

  void Start(HttpRequest request) {
    if (number_ != 0) {
      std::string frame;
      AppendRecordedRequest(number_, core_->Now(), request.target, request.headers.Get("Accept"),
                            frame);
      core_->Write(frame);
    }
    call_ = core_->upstream->Start(std::move(request), *this);
  }

  [[nodiscard]] bool ready() const override { return status_ != 0 || failure_ != nullptr; }
  [[nodiscard]] int status() const override { return failure_ ? failure_->status() : status_; }
  [[nodiscard]] const HttpHeaders& headers() const override {
    return failure_ ? failure_->headers() : headers_;
  }
  void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    if (failure_) return failure_->Read(max_bytes, out);
    for (std::size_t taken = 0; taken < max_bytes && !unread_.empty();) {
      taken += unread_.front().size();
      unread_bytes_ -= unread_.front().size();
      out.push_back(BodyChunk::Of(std::move(unread_.front())));
      unread_.pop_front();
    }
    if (!unread_.empty()) return State::kMore;
    if (overflow_) return State::kAbort;
    if (end_) return *end_;
    waiting_ = true;
    return State::kWait;
  }

 private:
  void OnHeaders(int status, const HttpHeaders& headers) override {
    status_ = status;
    for (const auto& [name, value] : headers) {
      if (PassesDown(name)) headers_.Add(name, value);
    }
    if (number_ != 0) {
      std::string frame;
      AppendRecordedHead(number_, core_->Now(), status, headers_, frame);
      core_->Write(frame);
    }
    waiting_ = true;
    Wake();
  }
  void OnData(std::string_view data) override {
    if (number_ != 0) {
      std::string frame;
      AppendRecordedData(number_, core_->Now(), data, frame);
      core_->Write(frame);
    }
    if (overflow_) return;
    if (unread_bytes_ + data.size() > core_->options.max_unread_bytes) {
      overflow_ = true;
    } else {
      unread_.emplace_back(data);
      unread_bytes_ += data.size();
    }
    Wake();
  }
  void OnDone(Result<void> result) override {
    if (number_ != 0) {
      std::string frame;
      AppendRecordedEnd(number_, core_->Now(),
                        result ? std::string_view() : std::string_view(result.error().message()),
                        frame);
      core_->Write(frame);
    }
    end_ = result ? State::kEnd : State::kAbort;
    if (status_ == 0) {
      const std::string why = result ? "no answer came" : std::string(result.error().message());
      failure_ = ErrorResponse(Error(Reason::kServiceUnavailable,
                                     core_->upstream->Describe() + " does not answer: " + why)
                                   .WithHttpStatus(502),
                               {});
      waiting_ = true;
    }
    Wake();
  }
  void Wake() {
    if (std::exchange(waiting_, false) && wake_) wake_();
  }

  const std::shared_ptr<Core> core_;
  const std::uint32_t number_;
  std::function<void()> wake_;
  int status_ = 0;
  HttpHeaders headers_;
  ResponsePtr failure_;  // replaces an answer that did not arrive
  std::deque<std::string> unread_;
  std::size_t unread_bytes_ = 0;
  std::optional<State> end_;
  bool overflow_ = false;
  bool waiting_ = false;
  std::unique_ptr<HttpCall> call_;  // last member, destroyed first
};

Result<std::unique_ptr<Recorder>> Recorder::Open(Env& env, std::shared_ptr<Transport> upstream,
                                                 const std::string& path, RecorderOptions options) {
  auto core = std::make_shared<Core>(env, std::move(upstream), options);
  core->path = path;
  Result<File> file = MakePrivateFile(path);
  if (!file) return Error(Reason::kConfig, "recording " + path + " " + file.error().message());
  core->file = *std::move(file);
  core->Write(std::string(kRecordingHeader));
  return std::unique_ptr<Recorder>(new Recorder(std::move(core)));
}

Recorder::Recorder(std::shared_ptr<Core> core) : core_(std::move(core)) {}
Recorder::~Recorder() = default;

RecorderStats Recorder::Stats() const { return core_->stats; }

std::unique_ptr<ResponseStream> Recorder::Handle(HttpRequest request) {
  const auto info = ParseRequest(request.method, request.target);
  if (!info) return ErrorResponse(info.error(), request.headers.Get("Accept"));
  if (!core_->options.allow_writes && !OnlyReads(request.method, *info)) {
    return ErrorResponse(
        Error(
            Reason::kMethodNotAllowed,
            "a recorder passes on only what reads; --record-writes (RecorderOptions::allow_writes) "
            "lets it pass on the rest, with its own credentials")
            .WithHttpStatus(405),
        request.headers.Get("Accept"));
  }
  HttpRequest up{.method = request.method,
                 .target = std::move(request.target),
                 .body = std::move(request.body),
                 .timeout = request.timeout};
  for (const auto& [name, value] : request.headers) {
    if (PassesUp(name)) up.headers.Add(name, value);
  }
  if (info->verb == Verb::kWatch) up.pool = ConnectionPool::kWatch;
  if (info->verb == Verb::kList) up.pool = ConnectionPool::kList;
  const bool recorded =
      request.method == "GET" && (core_->options.include_secrets || !AsksForSecrets(*info));
  if (recorded) ++core_->stats.exchanges;
  auto stream = std::make_unique<Core::Stream>(core_, recorded ? core_->next++ : 0);
  stream->Start(std::move(up));
  return stream;
}

}  // namespace kinformer::apiserver
