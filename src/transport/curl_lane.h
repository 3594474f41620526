// transport/curl_lane.h
//
// CurlLane: one libcurl multi handle with connections of its own, and the exchanges that use them.
//
// A lane of watches over HTTP/2 has exactly one connection, so that a probe sent on the lane tests
// the very connection that is silent. A lane of watches over HTTP/1.1 has one connection per watch.
// Other lanes have a few.
//
// The first exchange of a lane (the scout) runs alone until TLS has negotiated the protocol; the
// others then share its connection instead of opening one each. Over HTTP/2 they wait a moment
// longer for the server's stream limit: libcurl assumes 100 until it knows, and streams beyond the
// true limit would wait inside libcurl unnoticed.

#ifndef KINFORMER_TRANSPORT_CURL_LANE_H_
#define KINFORMER_TRANSPORT_CURL_LANE_H_

#include <cstddef>
#include <curl/curl.h>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "kinformer/client/transport.h"

#include "transport/curl_loop.h"
#include "transport/curl_transfer.h"

namespace kinformer::internal::transport {

// Loop-confined. The owner may destroy it only outside of libcurl, when it is empty or after
// DropAll.
class CurlLane final : public CurlLoop::Listener {
 public:
  using List = std::vector<std::shared_ptr<CurlTransfer>>;

  CurlLane(std::shared_ptr<CurlShared> shared, CurlLoop& loop, ConnectionPool pool);
  ~CurlLane() override;
  CurlLane(const CurlLane&) = delete;
  CurlLane& operator=(const CurlLane&) = delete;

  // Takes a prepared exchange and starts it as soon as possible.
  void Add(std::shared_ptr<CurlTransfer> transfer);
  // Removes it. Its receiver is not called by this; silence the receiver if libcurl is running.
  void Remove(const std::shared_ptr<CurlTransfer>& transfer);
  // Stops reading its response, and goes on: also from within its receiver.
  void SetPaused(CurlTransfer& transfer, bool paused);
  // Makes libcurl ask again for what is to be sent.
  void GoOn(CurlTransfer& transfer);
  // Returns all exchanges of the lane, oldest first.
  [[nodiscard]] List Transfers() const;
  // Like Transfers(), without an order and without copies.
  template <class Look>
  void ForEach(const Look& look) const {
    for (const auto& [easy, transfer] : active_) look(*transfer);
    for (const auto& transfer : dialing_) look(*transfer);
    for (const auto& transfer : queue_) look(*transfer);
  }

  [[nodiscard]] ConnectionPool pool() const { return pool_; }
  [[nodiscard]] std::size_t size() const {
    return active_.size() + dialing_.size() + queue_.size();
  }
  // Number of exchanges that have a connection; and the maximum so far.
  [[nodiscard]] std::size_t started() const;
  [[nodiscard]] std::size_t peak() const { return peak_; }
  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] bool http1() const { return http1_; }
  [[nodiscard]] SteadyTime last_activity() const { return last_activity_; }
  [[nodiscard]] SteadyTime last_use() const { return last_use_; }
  // Time since which the first exchange of an unconnected lane has tried to connect.
  [[nodiscard]] std::optional<SteadyTime> ScoutSince() const;
  // Returns the exchanges that wait for the scout, oldest first.
  [[nodiscard]] List Queued() const { return {queue_.begin(), queue_.end()}; }
  // Whether all exchanges of the lane use one connection, so that any data proves it alive.
  [[nodiscard]] bool has_one_connection() const { return !http1_ && sockets() == 1; }

  // Returns how long answers were missing on a silent connection, over all exchanges given up since
  // its last data; `transfer` is the newest of them. Overlapping times count once.
  Duration AwaitedInVain(const CurlTransfer& transfer);

  [[nodiscard]] std::size_t sockets() const { return own_sockets_.size(); }
  // Limits the connections over HTTP/2, not counting one for a probe. Without it libcurl opens up
  // to the pool's limit, one whenever the server's stream limit is reached.
  void Allow(std::size_t connections);
  // Call after `probe` is set: the probe must not wait behind the exchanges that it is for.
  void LimitConnections();

  // ---- the owner's notes
  bool retired = false;    // gets no new exchanges
  bool suspected = false;  // gets none until its connection shows signs of life
  std::shared_ptr<CurlTransfer> probe;
  std::unique_ptr<ResponseReceiver> probe_receiver;
  std::shared_ptr<CurlTransfer> opener;  // only tries to get a connection (Openers)

  // Called by the exchange while libcurl runs: its request is being sent.
  void OnStarted(CurlTransfer& transfer, bool http2);
  // A response has begun, so the server's initial HTTP/2 settings have been read.
  void OnAnswer();
  // libcurl delivered as much as its buffer holds. Over HTTP/2, libcurl 7.88 may keep the rest of
  // the data until the socket is readable again, which may be never, so it is called again until no
  // more data comes.
  void OnFullBuffer() { full_buffer_ = true; }
  void OnSocket(int fd, int flags) override;

 private:
  static int SocketChanged(CURL* easy, curl_socket_t fd, int what, void* self, void* socket_data);
  static int TimerChanged(CURLM* multi, long milliseconds, void* self);
  static curl_socket_t OpenSocket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int CloseSocket(void* self, curl_socket_t fd);
  void NoteConnecting(CURL* easy, curl_socket_t fd);
  void NoteServerClosed(CURL* easy);
  void NoteClosed(curl_socket_t fd);
  // Records that all connections used for requests are gone.
  void LoseConnection();

  void Run(curl_socket_t fd, int flags);
  void Settle();
  void PostAskAgain();
  void AskAgain();
  void Admit();
  void Detach(CurlTransfer& transfer);
  void Finish(const std::shared_ptr<CurlTransfer>& transfer, CURLcode code);
  // Has a connection opened for an exchange that libcurl could not send without one.
  void Dial(const std::shared_ptr<CurlTransfer>& transfer);
  void OnDialed(const std::shared_ptr<CurlTransfer>& transfer, Result<Dialed> connection);
  [[nodiscard]] bool MayDial() const;
  // Returns a connection that was opened and that no exchange needed yet; or none. `any`: also one
  // that the server has closed, so that the exchange for which it was opened ends with that error.
  Dialed TakeOpened(bool any);
  void Equip(CurlTransfer& transfer);
  // Removes the exchanges that wait for the first one, which has no connection.
  std::deque<std::shared_ptr<CurlTransfer>> TakeQueue();
  void SetConnectionLimit();

  const std::shared_ptr<CurlShared> shared_;
  CurlLoop& loop_;
  const ConnectionPool pool_;
  CURLM* const multi_;
  std::unordered_map<CURL*, std::shared_ptr<CurlTransfer>> active_;  // known to libcurl
  std::deque<std::shared_ptr<CurlTransfer>> queue_;
  std::map<curl_socket_t, Dialed> dialed_;  // connections that are to replace a placeholder
  std::vector<Dialed> opened_;              // dialed, and libcurl has not asked for them yet
  List dialing_;  // wait for a connection that is being opened outside of libcurl
  List leaving_;  // removed while libcurl ran
  Timer timer_;
  Timer settings_timer_;  // limits the wait for the server's SETTINGS
  std::vector<curl_socket_t> watched_;
  std::shared_ptr<CurlLane*> self_;         // for posted tasks: null once the lane is gone
  std::size_t allowed_ = 0;                 // 0: as many as the pool may have
  std::vector<curl_socket_t> own_sockets_;  // those of connections; the resolver has others
  std::vector<curl_socket_t> new_sockets_;  // connections on which nothing was sent yet
  std::size_t peak_ = 0;
  SteadyTime last_activity_{};
  SteadyTime last_use_{};
  Duration awaited_{0};  // time waited without an answer, up to `awaited_until_`
  SteadyTime awaited_until_{};
  bool inside_ = false;  // libcurl is running: its handles must not be added or removed
  bool connected_ = false;
  bool http1_ = false;
  bool limit_changed_ = false;
  bool full_buffer_ = false;
  bool asking_again_ = false;
  int quiet_rounds_ = 0;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_LANE_H_
