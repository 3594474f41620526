#include "simulation/server_history.h"

#include <algorithm>
#include <utility>

namespace kinformer::testing {

const ServerHistory& ServerHistory::See(HistoryView view) {
  views_.push_back(std::make_unique<ServerHistory>());
  ServerHistory& seen = *views_.back();
  seen.view_ = std::move(view);
  for (const auto& [key, changes] : keys_) {
    bool there = false;
    for (const Change& change : changes) {
      if (change.state) {
        seen.Take(key, *change.state, there);
      } else {
        seen.Gone(key, change.version);
      }
      there = change.state.has_value();
    }
  }
  return seen;
}

void ServerHistory::Take(const std::string& key, const ObjectState& state, bool was_there) {
  const auto it = keys_.find(key);
  const bool was_seen = it != keys_.end() && Now(it->second) != nullptr;
  const bool selected = !view_.selects || view_.selects(key, state);
  if (was_there && was_seen != selected) ++moves_;
  if (!selected) return Gone(key, state.version);
  ObjectState kept = state;
  if (view_.keeps) kept.value = view_.keeps(state.value);
  Put(key, std::move(kept));
}

void ServerHistory::Gone(const std::string& key, std::int64_t version) {
  const auto it = keys_.find(key);
  if (it != keys_.end() && Now(it->second) != nullptr) Delete(key, version);
}

void ServerHistory::Announce(const std::string& key, const std::string& value) {
  announced_ = {key, value};
  for (const auto& seen : views_) {
    seen->Announce(key, seen->view_.keeps ? seen->view_.keeps(value) : value);
  }
}

void ServerHistory::Put(const std::string& key, ObjectState state) {
  Changes& changes = keys_[key];
  const ObjectState* now = Now(changes);
  if (now != nullptr && now->version == state.version) return;
  for (const auto& seen : views_) seen->Take(key, state, now != nullptr);
  existed_.insert({key, state.version, state.uid, state.value, state.tier});
  const std::int64_t version = state.version;
  changes.push_back({version, std::move(state)});
}

void ServerHistory::Delete(const std::string& key, std::int64_t version) {
  keys_[key].push_back({version, std::nullopt});
  for (const auto& seen : views_) seen->Gone(key, version);
}

void ServerHistory::Restore(std::int64_t version) {
  for (auto& [key, changes] : keys_) {
    std::erase_if(changes, [version](const Change& change) { return change.version > version; });
  }
  for (const auto& seen : views_) seen->Restore(version);
}

bool ServerHistory::Existed(const std::string& key, const ObjectState& state) const {
  if (existed_.contains({key, state.version, state.uid, state.value, state.tier})) return true;
  return key == announced_.first && state.value == announced_.second;
}

const ObjectState* ServerHistory::At(const Changes& changes, std::int64_t version) {
  const auto after = std::upper_bound(
      changes.begin(), changes.end(), version,
      [](std::int64_t wanted, const Change& change) { return wanted < change.version; });
  if (after == changes.begin()) return nullptr;
  const Change& last = *std::prev(after);
  return last.state ? &*last.state : nullptr;
}

const ObjectState* ServerHistory::Now(const Changes& changes) {
  return changes.empty() || !changes.back().state ? nullptr : &*changes.back().state;
}

bool ServerHistory::ThereSince(const Changes& changes, std::int64_t version) {
  if (At(changes, version) == nullptr) return false;
  return std::all_of(changes.begin(), changes.end(), [version](const Change& change) {
    return change.version <= version || change.state.has_value();
  });
}

bool ServerHistory::InNamespace(std::string_view key, std::string_view namespace_) {
  return namespace_.empty() ||
         (key.starts_with(namespace_) && key.substr(namespace_.size()).starts_with('/'));
}

Contents ServerHistory::Now(std::string_view namespace_) const {
  Contents contents;
  for (const auto& [key, changes] : keys_) {
    if (!InNamespace(key, namespace_)) continue;
    if (const ObjectState* now = Now(changes)) contents.emplace(key, *now);
  }
  return contents;
}

std::vector<std::int64_t> ServerHistory::ChangesIn(std::string_view namespace_, std::int64_t from,
                                                   std::int64_t to) const {
  std::vector<std::int64_t> versions;
  for (const auto& [key, changes] : keys_) {
    if (!InNamespace(key, namespace_)) continue;
    for (const Change& change : changes) {
      if (change.version > from && change.version <= to) versions.push_back(change.version);
    }
  }
  std::sort(versions.begin(), versions.end());
  return versions;
}

}  // namespace kinformer::testing
