#include "apiserver/etcd/etcd_gateway.h"

#include <utility>

#include "apiserver/etcd/etcd_json.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kConnections = 16;
// Silence after which etcd is asked whether it lives.
constexpr Duration kSilence = std::chrono::seconds(5);

constexpr const char* kAuthenticate = "/v3/auth/authenticate";

void AddHeaders(const std::string& token, HttpHeaders& headers) {
  headers.Add("Content-Type", "application/json");
  if (!token.empty()) headers.Add("Authorization", token);
}

// Returns whether etcd takes the token no more, as after a restart: nothing was done then.
bool IsOfToken(const Error& error) {
  const std::string_view why = error.message();
  return why.find("invalid auth token") != std::string_view::npos ||
         why.find("auth store is old") != std::string_view::npos;
}

}  // namespace

// ---- Questions

class EtcdGateway::Call final : public ResponseReceiver {
 public:
  Call(EtcdGateway& gateway, std::uint64_t number, std::size_t server, Question question)
      : gateway_(gateway), number_(number), server_(server), question_(std::move(question)) {}

  void Begin(Transport& transport, Duration patience) {
    HttpRequest request{.method = "POST", .target = question_.path, .timeout = patience};
    AddHeaders(question_.token, request.headers);
    request.body = question_.body;
    call_ = transport.Start(std::move(request), *this);
  }
  void OnHeaders(int status, const HttpHeaders& /*headers*/) override { status_ = status; }
  void OnData(std::string_view data) override { answer_.append(data); }
  void OnDone(Result<void> result) override {
    result_ = std::move(result);
    gateway_.Answered(number_);
  }

  EtcdGateway& gateway_;
  const std::uint64_t number_;
  const std::size_t server_;
  Question question_;
  std::unique_ptr<HttpCall> call_{};
  int status_ = 0;
  std::string answer_{};
  Result<void> result_{};
};

// ---- The watch

class EtcdGateway::Stream final : public ResponseReceiver {
 public:
  Stream(EtcdGateway& gateway, std::size_t server, std::shared_ptr<EtcdWatcher> watcher)
      : server_(server), watcher_(std::move(watcher)), gateway_(gateway) {}

  void Begin(Transport& transport, std::int64_t from, const std::string& token) {
    HttpRequest request{.method = "POST", .target = "/v3/watch", .pool = ConnectionPool::kWatch};
    AddHeaders(token, request.headers);
    request.body = WatchJson(from);
    call_ = transport.Start(std::move(request), *this);
  }
  void OnHeaders(int status, const HttpHeaders& /*headers*/) override { status_ = status; }
  void OnData(std::string_view data) override {
    if (over_) return;
    rest_.append(data);
    if (status_ != 200) return;
    std::size_t begin = 0;
    for (std::size_t end = 0; !over_ && (end = rest_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      Take(std::string_view(rest_).substr(begin, end - begin));
    }
    rest_.erase(0, begin);
  }
  void OnDone(Result<void> result) override {
    if (over_) return;
    if (status_ != 0 && status_ != 200) return End(EtcdErrorOf(status_, rest_), 0);
    End(result.ok() ? Error(Reason::kTransport, "etcd has closed it") : result.error(), 0);
  }

  const std::size_t server_;
  const std::shared_ptr<EtcdWatcher> watcher_;

 private:
  void Take(std::string_view line) {
    if (line.empty()) return;
    EtcdLine read = LineOf(line);
    if (!read.changes.empty()) watcher_->OnChanges(std::move(read.changes));
    if (read.over) End(Error(Reason::kTransport, std::move(read.why)), read.compacted);
  }
  void End(const Error& why, std::int64_t compacted) {
    over_ = true;
    gateway_.EndStream(*this, why, compacted);
  }

  EtcdGateway& gateway_;
  std::unique_ptr<HttpCall> call_{};
  int status_ = 0;
  std::string rest_{};  // an incomplete line
  bool over_ = false;
};

// ---- The gateway

Result<std::shared_ptr<Etcd>> EtcdGateway::Make(Env& env, const EtcdGatewayOptions& options) {
  std::shared_ptr<EtcdGateway> gateway(new EtcdGateway(env, options));
  for (const std::string& server : options.servers) {
    HttpTransportOptions http{.base_url = server,
                              .tls = options.tls,
                              .user_agent = "kinformer",
                              .use_environment_proxy = false,
                              .disable_http2 = true,
                              .connect_timeout = options.patience,
                              .read_idle_timeout = kSilence,
                              .ping_timeout = kSilence,
                              .max_connections = kConnections};
    Result<std::unique_ptr<Transport>> transport = NewHttpTransport(gateway->env(), http);
    if (!transport) return Error(transport.error()).WithContext(server);
    gateway->transports_.push_back(*std::move(transport));
  }
  if (gateway->transports_.empty()) return Error(Reason::kConfig, "no server of etcd is named");
  return std::shared_ptr<Etcd>(std::move(gateway));
}

EtcdGateway::EtcdGateway(Env& env, const EtcdGatewayOptions& options)
    : patience_(options.patience),
      user_(options.user),
      password_(options.password),
      loop_(env.NewLoop("etcd")) {}

EtcdGateway::~EtcdGateway() { Stop(); }

void EtcdGateway::Stop() {
  const std::unique_ptr<Monitor> monitor = env().NewMonitor();
  bool done = false;
  env().loop().Post([&] {
    stopped_ = true;
    stream_.reset();
    calls_.clear();
    waiting_.clear();
    waiting_watch_ = nullptr;
    transports_.clear();
    const MonitorLock lock(*monitor);
    done = true;
    monitor->NotifyAll();
  });
  MonitorLock lock(*monitor);
  // NOLINTNEXTLINE(bugprone-infinite-loop): the posted task sets it, on the loop's thread
  while (!done) lock.Wait();
}

void EtcdGateway::Ask(Question question) {
  env().loop().Post([this, question = std::move(question)]() mutable {
    if (!stopped_) Send(std::move(question));
  });
}

void EtcdGateway::Send(Question question) {
  const bool authenticates = question.path == kAuthenticate;
  if (NeedsToken() && !authenticates) {
    waiting_.push_back(std::move(question));
    return Authenticate();
  }
  if (!authenticates) question.token = token_;
  const std::uint64_t number = next_call_++;
  ++question.tries;
  auto call = std::make_unique<Call>(*this, number, server_, std::move(question));
  Call& begun = *call;
  calls_.emplace(number, std::move(call));
  begun.Begin(*transports_[server()], patience_);
}

void EtcdGateway::Authenticate() {
  if (std::exchange(authenticates_, true)) return;
  Send({.path = kAuthenticate,
        .body = json::Value::MakeObject({{"name", user_}, {"password", password_}}).Dump(),
        .reads = true,
        .done = [this](const Result<json::Value>& answer) { Authenticated(answer); }});
}

void EtcdGateway::Authenticated(const Result<json::Value>& answer) {
  authenticates_ = false;
  Result<void> known;
  if (!answer.ok()) known = answer.error();
  if (answer.ok()) token_ = (*answer)["token"].StringOrEmpty();
  if (known.ok() && token_.empty()) known = EtcdRefusal("no token for its user");
  for (Question& question : std::exchange(waiting_, {})) {
    if (known.ok()) {
      Send(std::move(question));
    } else {
      question.done(known.error());
    }
  }
  if (auto watch = std::exchange(waiting_watch_, nullptr); watch != nullptr) watch(known);
}

void EtcdGateway::Leave(std::size_t server) {
  if (server == server_) ++server_;
}

void EtcdGateway::Answered(std::uint64_t number) {
  const auto found = calls_.extract(number);
  const std::unique_ptr<Call> call = std::move(found.mapped());
  Question& question = call->question_;
  if (call->result_.ok()) {
    if (call->status_ != 200) {
      const Error why = EtcdErrorOf(call->status_, call->answer_);
      if (!user_.empty() && IsOfToken(why) && !std::exchange(question.renewed, true)) {
        if (token_ == question.token) token_.clear();
        return Send(std::move(question));
      }
      if (why.http_status() != 500) Leave(call->server_);
      return question.done(why);
    }
    Result<json::Value> answer = json::Parse(call->answer_);
    if (answer) return question.done(std::move(answer));
    return question.done(EtcdTimeout("the answer is no JSON, as of another server than etcd"));
  }
  Leave(call->server_);
  const Error& error = call->result_.error();
  const std::string why(error.message());
  const bool refused = error.reason() == Reason::kConnectionRefused;
  if ((refused || question.reads) && question.tries < transports_.size()) {
    return Send(std::move(question));
  }
  if (refused) return question.done(EtcdUnavailable(why));
  question.done(question.reads ? EtcdSilence(why) : EtcdTimeout(why));
}

void EtcdGateway::Read(EtcdRange range, EtcdDone<EtcdPage> done) {
  Ask({.path = "/v3/kv/range",
       .body = RangeJson(range),
       .reads = true,
       .done = [done = std::move(done)](const Result<json::Value>& answer) {
         if (!answer.ok()) return done(answer.error());
         done(PageOf(*answer));
       }});
}

void EtcdGateway::Commit(EtcdTransaction transaction, EtcdDone<EtcdOutcome> done) {
  Ask({.path = "/v3/kv/txn",
       .body = TransactionJson(transaction),
       .done = [done = std::move(done)](const Result<json::Value>& answer) {
         if (!answer.ok()) return done(answer.error());
         done(OutcomeOf(*answer));
       }});
}

void EtcdGateway::Compact(std::int64_t revision, EtcdDone<void> done) {
  Ask({.path = "/v3/kv/compaction",
       .body = NumberJson("revision", revision),
       .done = [done = std::move(done)](const Result<json::Value>& answer) {
         done(answer.ok() ? Result<void>() : answer.error());
       }});
}

void EtcdGateway::Grant(std::int64_t seconds, EtcdDone<std::int64_t> done) {
  Ask({.path = "/v3/lease/grant",
       .body = NumberJson("TTL", seconds),
       .done = [done = std::move(done)](const Result<json::Value>& answer) {
         if (!answer.ok()) return done(answer.error());
         done(NumberOf((*answer)["ID"]));
       }});
}

void EtcdGateway::KeepAlive(std::int64_t lease, EtcdDone<std::int64_t> done) {
  Ask({.path = "/v3/lease/keepalive",
       .body = NumberJson("ID", lease),
       .reads = true,
       .done = [done = std::move(done)](const Result<json::Value>& answer) {
         if (!answer.ok()) return done(answer.error());
         done(NumberOf((*answer)["result"]["TTL"]));
       }});
}

void EtcdGateway::Revoke(std::int64_t lease, EtcdDone<void> done) {
  Ask({.path = "/v3/lease/revoke",
       .body = NumberJson("ID", lease),
       .done = [done = std::move(done)](const Result<json::Value>& answer) {
         done(answer.ok() ? Result<void>() : answer.error());
       }});
}

void EtcdGateway::Watch(std::int64_t from, std::shared_ptr<EtcdWatcher> watcher) {
  env().loop().Post([this, from, watcher = std::move(watcher)] {
    if (!stopped_) StartStream(from, watcher);
  });
}

void EtcdGateway::StartStream(std::int64_t from, std::shared_ptr<EtcdWatcher> watcher) {
  stream_.reset();
  if (NeedsToken()) {
    waiting_watch_ = [this, from, watcher = std::move(watcher)](const Result<void>& known) {
      if (known.ok()) return StartStream(from, watcher);
      watcher->OnEnd(known.error(), /*compacted=*/0);
    };
    return Authenticate();
  }
  stream_ = std::make_unique<Stream>(*this, server_, std::move(watcher));
  stream_->Begin(*transports_[server()], from, token_);
}

void EtcdGateway::EndStream(Stream& stream, const Error& why, std::int64_t compacted) {
  if (compacted == 0) Leave(stream.server_);
  // The next watch gets a new one.
  if (!user_.empty() && IsOfToken(why)) token_.clear();
  env().loop().Post([this, ended = &stream, watcher = stream.watcher_, why, compacted] {
    // Another one may have begun.
    if (stream_.get() != ended) return;
    stream_.reset();
    watcher->OnEnd(why, compacted);
  });
}

}  // namespace kinformer::apiserver
