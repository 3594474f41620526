#include "apiserver/audit/auditor.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/audit/audit_match.h"
#include "apiserver/request/selected_name.h"
#include "apiserver/schema/name_rules.h"
#include "transport/head_keeper.h"

namespace kinformer::apiserver {
namespace {

using internal::transport::HeadKeeper;

constexpr std::size_t kMostUserAgent = 1024;

bool GoesOn(const RequestInfo& info) {
  if (!info.is_resource_request) return false;
  if (info.verb == Verb::kWatch) return true;
  const std::string& sub = info.subresource;
  return sub == "log" || sub == "exec" || sub == "attach" || sub == "portforward" || sub == "proxy";
}

bool Writes(Verb verb) {
  return verb == Verb::kCreate || verb == Verb::kUpdate || verb == Verb::kPatch ||
         verb == Verb::kDelete || verb == Verb::kDeleteCollection;
}

// Returns the addresses in the headers of proxies, and the client's as far as it is known.
std::vector<std::string> SourcesOf(const HttpRequest& request) {
  std::vector<std::string> out;
  std::string_view passed = request.headers.Get("X-Forwarded-For");
  while (!passed.empty()) {
    const std::string_view part = passed.substr(0, passed.find(','));
    passed.remove_prefix(std::min(passed.size(), part.size() + 1));
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin == std::string_view::npos) continue;
    out.emplace_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
  }
  const auto add = [&out](std::string_view address) {
    if (address.empty() || (!out.empty() && out.back() == address)) return;
    out.emplace_back(address);
  };
  add(request.headers.Get("X-Real-Ip"));
  if (request.on_loopback) add("127.0.0.1");
  return out;
}

std::string AgentOf(const HttpRequest& request) {
  std::string agent(request.headers.Get("User-Agent"));
  if (agent.size() <= kMostUserAgent) return agent;
  agent.resize(kMostUserAgent);
  return agent + "...TRUNCATED";
}

// A response that is written to the log when it begins, if it goes on, and when it ends.
class AuditedResponse final : public ResponseStream, public HeadKeeper {
 public:
  AuditedResponse(Env& env, std::shared_ptr<AuditLog> log, AuditRecordPtr record, ResponsePtr inner)
      : env_(env), log_(std::move(log)), record_(std::move(record)), inner_(std::move(inner)) {}
  ~AuditedResponse() override { End(); }
  AuditedResponse(const AuditedResponse&) = delete;
  AuditedResponse& operator=(const AuditedResponse&) = delete;

  [[nodiscard]] bool ready() const override { return inner_->ready(); }
  [[nodiscard]] int status() const override { return inner_->status(); }
  [[nodiscard]] const HttpHeaders& headers() const override { return inner_->headers(); }
  void SetWake(std::function<void()> wake) override { inner_->SetWake(std::move(wake)); }
  [[nodiscard]] ConnectionEffect effect() const override { return inner_->effect(); }
  [[nodiscard]] bool resumes_soon() const override { return inner_->resumes_soon(); }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    if (!begun_ && inner_->ready()) Begin();
    const std::size_t before = out.size();
    const State state = inner_->Read(max_bytes, out);
    if (keeps_)
      body_.insert(body_.end(), out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    if (state == State::kEnd || state == State::kAbort) End();
    return state;
  }
  void Receive(std::string_view bytes) override { inner_->Receive(bytes); }
  [[nodiscard]] bool receives() const override { return inner_->receives(); }
  void ReleaseHead() override {
    if (!begun_) Begin();
    internal::transport::ReleaseHead(*inner_);
  }

 private:
  void Begin() {
    begun_ = true;
    code_ = inner_->status();
    content_type_ = inner_->headers().Get("Content-Type");
    keeps_ = !record_->goes_on && (code_ >= 400 || Writes(record_->info.verb) ||
                                   record_->HasObjects(AuditLevel::kRequestResponse));
    if (record_->goes_on && record_->stages.response_started) {
      log_->Write(StartedEvent(*record_, env_.WallNow(), code_));
    }
  }

  void End() {
    if (ended_) return;
    ended_ = true;
    if (!begun_ && inner_->ready()) Begin();
    const AuditStages& stages = record_->stages;
    // Nobody: a real server, too, has only this event.
    if (!(record_->user == nullptr ? stages.response_started : stages.response_complete)) return;
    std::string body;
    for (const BodyChunk& chunk : body_) body += chunk.bytes;
    body_.clear();
    log_->Write(CompleteEvent(*record_, env_.WallNow(),
                              {.code = code_, .content_type = content_type_, .body = body}));
  }

  Env& env_;
  const std::shared_ptr<AuditLog> log_;
  const AuditRecordPtr record_;
  const ResponsePtr inner_;
  int code_ = 0;
  std::string content_type_;
  std::vector<BodyChunk> body_;
  bool begun_ = false;
  bool keeps_ = false;
  bool ended_ = false;
};

}  // namespace

Auditor::Auditor(ServerState& state) : state_(state) {
  if (state.options.audit_policy != nullptr) {
    policy_ = *state.options.audit_policy;
  } else {
    policy_.rules.emplace_back();
  }
}

AuditRecordPtr Auditor::Begin(const HttpRequest& request, const RequestInfo& info,
                              const std::string& id, const UserInfoPtr& user) {
  std::string verb(info.is_resource_request && info.verb != Verb::kOther
                       ? std::string(VerbName(info.verb))
                       : LowerCase(request.method));
  RequestInfo asked = info;
  if (asked.name.empty()) asked.name = SelectedName(FieldSelectorOf(info));
  const AuditRule* const rule = FindAuditRule(policy_, asked, verb, user.get());
  if (rule == nullptr || rule->level == AuditLevel::kNone) return nullptr;
  auto record =
      std::make_shared<AuditRecord>(AuditRecord{.level = rule->level,
                                                .stages = rule->stages,
                                                .omit_managed_fields = rule->omit_managed_fields,
                                                .id = id,
                                                .uri = request.target,
                                                .verb = std::move(verb),
                                                .user = user,
                                                .source_ips = SourcesOf(request),
                                                .user_agent = AgentOf(request),
                                                .info = std::move(asked),
                                                .goes_on = GoesOn(info),
                                                .received = state_.env.WallNow()});
  if (info.is_resource_request && Writes(info.verb)) {
    record->content_type = request.headers.Get("Content-Type");
    record->body = request.body;
  }
  // Nobody: its only event is the refusal.
  if (user != nullptr && record->stages.request_received) {
    state_.options.audit_log->Write(ReceivedEvent(*record));
  }
  return record;
}

ResponsePtr Auditor::Observe(AuditRecordPtr record, ResponsePtr answer) {
  if (record == nullptr) return answer;
  return std::make_unique<AuditedResponse>(state_.env, state_.options.audit_log, std::move(record),
                                           std::move(answer));
}

}  // namespace kinformer::apiserver
