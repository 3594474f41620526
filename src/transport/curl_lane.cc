#include "transport/curl_lane.h"

#include <algorithm>
#include <chrono>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace kinformer::internal::transport {

namespace {

constexpr int kBurst = 8;                     // reads of one socket in one turn of the loop
constexpr std::uint64_t kRecord = 16 * 1000;  // approximate size of a full TLS record
constexpr Duration kSettingsWait = std::chrono::milliseconds(250);

}  // namespace

CurlLane::CurlLane(std::shared_ptr<CurlShared> shared, CurlLoop& loop, ConnectionPool pool)
    : shared_(std::move(shared)),
      loop_(loop),
      pool_(pool),
      multi_(curl_multi_init()),
      self_(std::make_shared<CurlLane*>(this)) {
  last_activity_ = last_use_ = shared_->env.Now();
  http1_ = !shared_->endpoint.tls || shared_->options.disable_http2;
  connected_ = http1_;  // the protocol is known
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlLane::SocketChanged);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlLane::TimerChanged);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  SetConnectionLimit();
}

CurlLane::~CurlLane() {
  *self_ = nullptr;
  while (!active_.empty()) Detach(*active_.begin()->second);
  for (const auto& transfer : queue_) transfer->lane = nullptr;
  for (const auto& transfer : dialing_) {
    transfer->lane = nullptr;
    transfer->dial = nullptr;
  }
  // Closes the connections; libcurl closes their descriptors through CloseSocket.
  curl_multi_cleanup(multi_);
  loop_.Forget(*this);
}

void CurlLane::SetConnectionLimit() {
  // libcurl takes 0 as "no limit". It opens a connection for every exchange beyond the server's
  // stream limit, so a lane of HTTP/2 watches needs an explicit limit.
  const bool http2 = connected_ && !http1_;
  long limit =
      static_cast<long>(http2 && allowed_ > 0 ? allowed_ : shared_->options.max_connections);
  if (probe != nullptr) ++limit;
  if (IsLong(pool_)) limit = http1_ ? 0 : 1;
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, limit);
}

void CurlLane::Allow(std::size_t connections) {
  allowed_ = connections;
  LimitConnections();
}

void CurlLane::LimitConnections() {
  if (inside_) {
    limit_changed_ = true;  // libcurl's limits cannot be changed during its callbacks
  } else {
    SetConnectionLimit();
  }
}

void CurlLane::Add(std::shared_ptr<CurlTransfer> transfer) {
  transfer->lane = this;
  transfer->added = shared_->env.Now();
  last_use_ = transfer->added;
  Equip(*transfer);
  queue_.push_back(std::move(transfer));
  if (!inside_) Admit();
}

void CurlLane::Equip(CurlTransfer& transfer) {
  curl_easy_setopt(transfer.easy(), CURLOPT_OPENSOCKETFUNCTION, &CurlLane::OpenSocket);
  curl_easy_setopt(transfer.easy(), CURLOPT_OPENSOCKETDATA, &transfer);
  curl_easy_setopt(transfer.easy(), CURLOPT_CLOSESOCKETFUNCTION, &CurlLane::CloseSocket);
  curl_easy_setopt(transfer.easy(), CURLOPT_CLOSESOCKETDATA, this);
}

void CurlLane::Remove(const std::shared_ptr<CurlTransfer>& transfer) {
  if (transfer->lane != this) return;
  last_use_ = shared_->env.Now();
  if (!transfer->in_multi) {
    transfer->lane = nullptr;
    transfer->dial = nullptr;
    queue_.erase(std::remove(queue_.begin(), queue_.end(), transfer), queue_.end());
    if (std::erase(dialing_, transfer) > 0 && !inside_) Admit();  // it may have been the scout
  } else if (inside_) {
    leaving_.push_back(transfer);
  } else {
    Detach(*transfer);
    // The removed transfer may have been the scout.
    Admit();
  }
}

CurlLane::List CurlLane::Transfers() const {
  List all;
  for (const auto& [easy, transfer] : active_) all.push_back(transfer);
  all.insert(all.end(), dialing_.begin(), dialing_.end());
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a->added < b->added; });
  all.insert(all.end(), queue_.begin(), queue_.end());
  return all;
}

std::size_t CurlLane::started() const {
  return static_cast<std::size_t>(std::count_if(
      active_.begin(), active_.end(), [](const auto& entry) { return entry.second->started; }));
}

std::optional<SteadyTime> CurlLane::ScoutSince() const {
  std::optional<SteadyTime> since;
  if (connected_) return since;
  for (const auto& transfer : dialing_) {
    since = std::min(since.value_or(SteadyTime::max()), transfer->admitted);
  }
  for (const auto& [easy, transfer] : active_) {
    if (!transfer->started) since = std::min(since.value_or(SteadyTime::max()), transfer->admitted);
  }
  return since;
}

Duration CurlLane::AwaitedInVain(const CurlTransfer& transfer) {
  const SteadyTime now = shared_->env.Now();
  const SteadyTime heard = has_one_connection() ? last_activity_ : transfer.last_progress();
  if (last_activity_ >= awaited_until_) awaited_ = Duration::zero();
  const SteadyTime from = std::max({transfer.started_at, heard, awaited_until_});
  awaited_ += now - from;
  awaited_until_ = now;
  return awaited_;
}

void CurlLane::OnStarted(CurlTransfer& transfer, bool http2) {
  std::erase(new_sockets_, transfer.socket);
  if (http2 && sockets() == 1) new_sockets_.clear();
  if (http1_ == http2) {
    http1_ = !http2;
    limit_changed_ = true;
  }
  if (http1_) {
    connected_ = true;
  } else if (!connected_) {
    settings_timer_ = shared_->env.loop().RunAt(shared_->env.Now() + kSettingsWait, [weak = self_] {
      if (*weak != nullptr) (*weak)->OnAnswer();
    });
  }
  peak_ = std::max(peak_, started());
}

void CurlLane::OnAnswer() {
  if (!std::exchange(connected_, true)) LimitConnections();
  if (!inside_) Admit();
}

void CurlLane::OnSocket(int fd, int flags) {
  if ((flags & CURL_CSELECT_IN) != 0) {
    last_activity_ = shared_->env.Now();
    suspected = false;  // alive, or libcurl will find that it has ended
  }
  // libcurl returns after each TLS record. A full record suggests that more data is there, so reads
  // on, for a limited number of rounds.
  for (int round = 0; round < kBurst; ++round) {
    const std::uint64_t before = shared_->stats.bytes_received;
    Run(fd, flags);
    if (!http1_ || shared_->stats.bytes_received - before < kRecord) return;
  }
}

void CurlLane::SetPaused(CurlTransfer& transfer, bool paused) {
  transfer.paused = paused;
  if (!paused) GoOn(transfer);
}

void CurlLane::GoOn(CurlTransfer& transfer) {
  if (!transfer.in_multi) return;
  const bool was_inside = std::exchange(inside_, true);
  transfer.held_up = transfer.paused;
  curl_easy_pause(transfer.easy(), transfer.paused ? CURLPAUSE_RECV : CURLPAUSE_CONT);
  inside_ = was_inside;
  if (!inside_) Settle();
}

void CurlLane::Run(curl_socket_t fd, int flags) {
  int running = 0;
  inside_ = true;
  curl_multi_socket_action(multi_, fd, flags, &running);
  inside_ = false;
  Settle();
}

// Does the work that was deferred while libcurl ran, and finishes its transfers. Receivers may do
// anything here except destroy the lane; its owner does that only in a separate task.
void CurlLane::Settle() {
  for (auto& transfer : std::exchange(leaving_, {})) {
    if (transfer->in_multi) Detach(*transfer);  // it may be in the list twice
  }
  if (std::exchange(limit_changed_, false)) SetConnectionLimit();
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    const std::shared_ptr<CurlTransfer> transfer = active_.at(message->easy_handle);
    Finish(transfer, message->data.result);
  }
  if (new_sockets_.size() == own_sockets_.size()) LoseConnection();
  Admit();
  if (full_buffer_ && !http1_) {
    quiet_rounds_ = 0;
    PostAskAgain();
  }
  full_buffer_ = false;
}

void CurlLane::PostAskAgain() {
  if (asking_again_) return;
  asking_again_ = true;
  shared_->env.loop().Post([weak = self_] {
    if (*weak != nullptr) (*weak)->AskAgain();
  });
}

void CurlLane::AskAgain() {
  asking_again_ = false;
  const std::uint64_t before = shared_->stats.bytes_received;
  // libcurl ignores a socket that it has closed meanwhile.
  for (const curl_socket_t fd : std::vector(watched_)) Run(fd, CURL_CSELECT_IN);
  // A stream whose data was delivered frees buffer space for other streams, but libcurl resumes
  // them only when it is called again.
  quiet_rounds_ = shared_->stats.bytes_received == before ? quiet_rounds_ + 1 : 0;
  if (quiet_rounds_ < 2 && !active_.empty()) PostAskAgain();
}

void CurlLane::Admit() {
  while (!queue_.empty() && (connected_ || (active_.empty() && dialing_.empty())) && MayDial()) {
    const std::shared_ptr<CurlTransfer> transfer = queue_.front();
    queue_.pop_front();
    transfer->in_multi = true;
    if (!transfer->has_dialed) transfer->admitted = shared_->env.Now();
    active_.emplace(transfer->easy(), transfer);
    curl_multi_add_handle(multi_, transfer->easy());
  }
}

void CurlLane::Detach(CurlTransfer& transfer) {
  curl_multi_remove_handle(multi_, transfer.easy());
  transfer.in_multi = false;
  transfer.lane = nullptr;
  active_.erase(transfer.easy());  // may destroy it
}

// Each exchange that finds no connection asks for one. So a lane with a limit admits no others
// when there may soon be that many connections, unless one waits to be used.
bool CurlLane::MayDial() const {
  if (dialing_.empty() || !opened_.empty() || IsLong(pool_)) return true;
  return dialing_.size() + sockets() < shared_->options.max_connections;
}

Dialed CurlLane::TakeOpened(bool any) {
  while (!opened_.empty()) {
    Dialed newest = std::move(opened_.back());
    opened_.pop_back();
    if (any || newest.IsOpen()) return newest;
  }
  return Dialed();
}

void CurlLane::Dial(const std::shared_ptr<CurlTransfer>& transfer) {
  transfer->lane = this;
  transfer->wants_dial = false;
  if (!MayDial()) {
    queue_.push_front(transfer);
    return;
  }
  if (!transfer->connecting_since) transfer->connecting_since = shared_->env.Now();
  dialing_.push_back(transfer);
  transfer->dial = Dials::Start(
      shared_->dials, [weak = self_, asking = std::weak_ptr(transfer)](Result<Dialed> connection) {
        const std::shared_ptr<CurlTransfer> waiting = asking.lock();
        if (*weak != nullptr && waiting != nullptr) {
          (*weak)->OnDialed(waiting, std::move(connection));
        }
      });
}

void CurlLane::OnDialed(const std::shared_ptr<CurlTransfer>& transfer, Result<Dialed> connection) {
  transfer->dial = nullptr;
  if (std::erase(dialing_, transfer) == 0) return;
  Result<void> prepared;
  if (connection) {
    opened_.push_back(*std::move(connection));
    prepared = transfer->Prepare(transfer->tls(), transfer->authorization());
    transfer->has_dialed = true;
  } else {
    const std::string server =
        (shared_->endpoint.tls ? "https://" : "http://") + shared_->endpoint.authority;
    prepared = Error(connection.error()).WithContext(server);
  }
  if (prepared) {
    Equip(*transfer);
    queue_.push_front(transfer);
    Admit();
    return;
  }
  transfer->lane = nullptr;
  last_use_ = shared_->env.Now();
  const auto doomed = connected_ ? std::deque<std::shared_ptr<CurlTransfer>>() : TakeQueue();
  const Error why = prepared.error();
  Admit();
  transfer->Done(why);
  for (const auto& other : doomed) other->Done(why);
}

std::deque<std::shared_ptr<CurlTransfer>> CurlLane::TakeQueue() {
  std::deque<std::shared_ptr<CurlTransfer>> all = std::exchange(queue_, {});
  for (const auto& other : all) other->lane = nullptr;
  return all;
}

void CurlLane::Finish(const std::shared_ptr<CurlTransfer>& transfer, CURLcode code) {
  if (transfer->wants_dial && !transfer->done() && code != CURLE_OK) {
    if (!transfer->RefusesRepetition()) {
      Detach(*transfer);
      Dial(transfer);
      return;
    }
    code = CURLE_GOT_NOTHING;
  }
  const bool was_scout = !connected_ && !transfer->started;
  // libcurl keeps the connection of a failed stream, although it may be dead.
  if (!http1_ && code != CURLE_OK && code != CURLE_HTTP2_STREAM && code != CURLE_WRITE_ERROR) {
    retired = true;
  }
  Result<void> verdict = transfer->Verdict(code);
  Detach(*transfer);
  last_use_ = shared_->env.Now();
  std::deque<std::shared_ptr<CurlTransfer>> doomed;
  if (was_scout && !transfer->done() && !verdict) {
    // No connection is possible: exchanges that waited for it get the same error.
    doomed = TakeQueue();
  }
  if (verdict) transfer->KeepHandle();
  const Result<void> same = verdict;
  transfer->Done(std::move(verdict));
  for (const auto& other : doomed) other->Done(same);
}

int CurlLane::SocketChanged(CURL* easy, curl_socket_t fd, int what, void* self, void*) {
  auto* lane = static_cast<CurlLane*>(self);
  if (const auto found = lane->dialed_.find(fd);
      found != lane->dialed_.end() && what != CURL_POLL_REMOVE) {
    found->second.Replace(fd);
    lane->dialed_.erase(found);
  }
  const bool open = lane->loop_.Watch(fd, what, *lane);
  std::erase(lane->watched_, fd);
  if (!open) lane->NoteClosed(fd);
  if (what != CURL_POLL_REMOVE) {
    lane->watched_.push_back(fd);
    lane->NoteConnecting(easy, fd);
  }
  if ((what & CURL_POLL_IN) == 0) lane->NoteServerClosed(easy);
  return 0;
}

// With another protocol, libcurl goes on when the server has closed, because its upload has no end.
// It only stops reading.
void CurlLane::NoteServerClosed(CURL* easy) {
  const auto found = active_.find(easy);
  if (found == active_.end() || !found->second->EndsUpload()) return;
  shared_->env.loop().Post([weak = self_, transfer = found->second] {
    if (*weak != nullptr) (*weak)->GoOn(*transfer);
  });
}

// Called by libcurl at each step of a connection attempt, since it waits for a new event each time.
void CurlLane::NoteConnecting(CURL* easy, curl_socket_t fd) {
  const auto found = active_.find(easy);
  if (found == active_.end()) return;
  CurlTransfer& transfer = *found->second;
  const auto among = [fd](const auto& sockets) {
    return std::find(sockets.begin(), sockets.end(), fd) != sockets.end();
  };
  if (transfer.started) {
    if (!among(new_sockets_)) return;
    transfer.TriesAgain();
  }
  if (!transfer.connecting_since) transfer.connecting_since = shared_->env.Now();
  if (!among(own_sockets_)) return;
  transfer.socket = fd;
  if (!shared_->endpoint.tls || !shared_->proxy.empty() || transfer.handshake_since) return;
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0) {
    transfer.handshake_since = shared_->env.Now();
  }
}

// Requests that were sent on a lost connection and not answered count as new: they wait for the
// next connection.
void CurlLane::LoseConnection() {
  if (http1_) return;
  connected_ = false;
  settings_timer_ = Timer();
  for (const auto& [easy, transfer] : active_) {
    if (transfer->started && transfer->status() == 0) transfer->TriesAgain();
  }
}

int CurlLane::TimerChanged(CURLM*, long milliseconds, void* self) {
  auto* lane = static_cast<CurlLane*>(self);
  lane->timer_.Cancel();
  if (milliseconds < 0) return 0;
  Env& env = lane->shared_->env;
  lane->timer_ =
      env.loop().RunAt(env.Now() + std::chrono::milliseconds(milliseconds), [weak = lane->self_] {
        if (*weak != nullptr) (*weak)->Run(CURL_SOCKET_TIMEOUT, 0);
      });
  return 0;
}

curl_socket_t CurlLane::OpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  CurlLane* const lane = transfer->lane;
  if (lane == nullptr) return CURL_SOCKET_BAD;
  SocketSource* const sockets = lane->shared_->sockets;
  if (sockets != nullptr && !sockets->Opens(lane->pool_)) return CURL_SOCKET_BAD;
  const bool dials = lane->shared_->dials != nullptr;
  Dialed connection =
      dials ? lane->TakeOpened(std::exchange(transfer->has_dialed, false)) : Dialed();
  if (dials && !connection) {
    transfer->wants_dial = true;
    return CURL_SOCKET_BAD;
  }
  const int fd = dials
                     ? NewPlaceholder(*address)
                     : socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (fd < 0) return CURL_SOCKET_BAD;
  if (dials) {
    lane->dialed_[fd] = std::move(connection);
  } else if (address->family == AF_INET || address->family == AF_INET6) {
    // Unacknowledged data ends the connection after 30 s instead of a quarter of an hour.
    const unsigned user_timeout_ms = 30000;
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms, sizeof user_timeout_ms);
  }
  lane->own_sockets_.push_back(fd);
  lane->new_sockets_.push_back(fd);
  ++lane->shared_->stats.connections_opened;
  ++lane->shared_->stats.connections_open;
  return fd;
}

int CurlLane::CloseSocket(void* self, curl_socket_t fd) {
  auto* lane = static_cast<CurlLane*>(self);
  lane->loop_.Forget(fd);
  std::erase(lane->watched_, fd);
  lane->NoteClosed(fd);
  return close(fd);
}

void CurlLane::NoteClosed(curl_socket_t fd) {
  dialed_.erase(fd);
  if (std::erase(own_sockets_, fd) == 0) return;
  std::erase(new_sockets_, fd);
  --shared_->stats.connections_open;
}

}  // namespace kinformer::internal::transport
