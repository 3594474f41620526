#include "transport/openers.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace kinformer::internal::transport {

namespace {

using std::chrono::seconds;

// A connection that takes longer than this may never be established.
constexpr Duration kPatience = seconds(2);
// Time for an opener: long enough for a SYN that was lost twice.
constexpr Duration kOpenerTime = seconds(3);

// Interval in which waiting exchanges are moved to an established connection.
constexpr Duration kLook = std::chrono::milliseconds(200);

// Returns exchanges that may leave a lane without a connection, including the first, but no probe.
CurlLane::List Movable(const CurlLane& lane) {
  CurlLane::List all = lane.Transfers();
  std::erase_if(all, [&](const std::shared_ptr<CurlTransfer>& transfer) {
    return transfer == lane.probe || transfer->started || !transfer->MayBeMoved();
  });
  return all;
}

}  // namespace

Openers::Openers(std::shared_ptr<CurlShared> shared, Owner& owner)
    : shared_(std::move(shared)), owner_(owner) {}

bool Openers::TriesTooLong(const CurlLane& lane) const {
  const std::optional<SteadyTime> since = lane.ScoutSince();
  return since && shared_->env.Now() - *since >= kPatience;
}

SteadyTime Openers::NextLook(const CurlLane& lane) const {
  const std::optional<SteadyTime> since = lane.ScoutSince();
  if (!since) return SteadyTime::max();
  return std::max(*since + kPatience, shared_->env.Now() + kLook);
}

void Openers::Check(CurlLane& lane) {
  if (lane.opener != nullptr && lane.opener->done()) End(lane);
  if (!TriesTooLong(lane)) return;
  const bool connected = HasConnection(lane.pool());
  const bool over =
      lane.opener != nullptr && shared_->env.Now() - *lane.ScoutSince() >= kOpenerTime;
  lane.retired = lane.retired || connected || over;
  const std::string authorization = lane.Transfers().front()->authorization();
  owner_.Move(lane, lane.Queued());
  if (lane.retired) End(lane);
  if (connected) owner_.Move(lane, Movable(lane));
  if (lane.size() > 0 && !HasFreshTry(lane.pool())) Open(lane.pool(), authorization);
}

bool Openers::HasConnection(ConnectionPool pool) const {
  return std::any_of(owner_.lanes().begin(), owner_.lanes().end(), [&](const auto& lane) {
    return lane->pool() == pool && !lane->retired && !lane->suspected && lane->connected() &&
           owner_.HasRoom(*lane);
  });
}

bool Openers::HasFreshTry(ConnectionPool pool) const {
  const SteadyTime now = shared_->env.Now();
  return std::any_of(owner_.lanes().begin(), owner_.lanes().end(), [&](const auto& lane) {
    const std::optional<SteadyTime> since = lane->ScoutSince();
    return lane->pool() == pool && since &&
           now - *since < (lane->opener != nullptr ? kOpenerTime : kPatience);
  });
}

void Openers::Open(ConnectionPool pool, const std::string& authorization) {
  HttpRequest request{.target = kSignOfLife, .pool = pool};
  auto opener = std::make_shared<CurlTransfer>(shared_, std::move(request), deaf_);
  if (!opener->Prepare(owner_.tls(), authorization)) return;
  CurlLane& lane = owner_.NewLane(pool);
  lane.opener = opener;
  lane.Add(std::move(opener));
}

void Openers::End(CurlLane& lane) {
  if (lane.opener == nullptr) return;
  lane.Remove(lane.opener);
  lane.opener = nullptr;
}

}  // namespace kinformer::internal::transport
