// test/simulation/server_history.h
//
// ServerHistory: everything that the server ever had of one resource, by the version of each
// change. Caches and handlers are compared with it, or with a view of it if a cache selects some
// objects or keeps only parts of them.

#ifndef KINFORMER_TEST_SIMULATION_SERVER_HISTORY_H_
#define KINFORMER_TEST_SIMULATION_SERVER_HISTORY_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace kinformer::testing {

struct ObjectState {
  std::int64_t version = 0;
  std::string uid{};
  std::string value{};
  std::string tier{};  // its label, which depends on the value
  bool operator==(const ObjectState&) const = default;
};

// By key, "namespace/name".
using Contents = std::map<std::string, ObjectState>;

// Selects and reduces objects as a cache does. Pure functions.
struct HistoryView {
  // Whether the object is selected; empty: all are.
  std::function<bool(const std::string& key, const ObjectState& state)> selects{};
  // The part of a value that is kept; empty: all of it.
  std::function<std::string(const std::string& value)> keeps{};
};

class ServerHistory {
 public:
  ServerHistory() = default;
  ServerHistory(const ServerHistory&) = delete;
  ServerHistory& operator=(const ServerHistory&) = delete;

  // Returns this history as seen through the view, including the past and all later changes; owned
  // by this. An object that leaves the selection is deleted at the version of that change.
  [[nodiscard]] const ServerHistory& See(HistoryView view);
  // Number of times an object entered or left the selection without being created or deleted.
  [[nodiscard]] std::uint64_t moves() const { return moves_; }

  // A change of a key at a version; without a state it was a deletion.
  struct Change {
    std::int64_t version = 0;
    std::optional<ObjectState> state{};
  };
  using Changes = std::vector<Change>;  // oldest first

  // A write without a change keeps its version and is ignored.
  void Put(const std::string& key, ObjectState state);
  void Delete(const std::string& key, std::int64_t version);
  // Allows caches to see this value of the key before Put records it.
  void Announce(const std::string& key, const std::string& value);
  // Undoes changes after that version. The undone states still count as having existed.
  void Restore(std::int64_t version);

  // Whether the server ever had that state, in this history or in one that was undone.
  [[nodiscard]] bool Existed(const std::string& key, const ObjectState& state) const;
  // Returns the state at that version, or now; null if the object did not exist.
  [[nodiscard]] static const ObjectState* At(const Changes& changes, std::int64_t version);
  [[nodiscard]] static const ObjectState* Now(const Changes& changes);
  // Whether an object with one uid has existed from `version` until now.
  [[nodiscard]] static bool ThereSince(const Changes& changes, std::int64_t version);
  // Returns all objects of one namespace, or of all if it is empty.
  [[nodiscard]] Contents Now(std::string_view namespace_) const;
  // Returns the versions of the changes after `from`, up to `to`, in order.
  [[nodiscard]] std::vector<std::int64_t> ChangesIn(std::string_view namespace_, std::int64_t from,
                                                    std::int64_t to) const;
  // All keys that ever existed.
  [[nodiscard]] const std::map<std::string, Changes>& keys() const { return keys_; }
  [[nodiscard]] static bool InNamespace(std::string_view key, std::string_view namespace_);

 private:
  // Applies a change of the history that this is a view of.
  void Take(const std::string& key, const ObjectState& state, bool was_there);
  void Gone(const std::string& key, std::int64_t version);

  HistoryView view_;
  std::vector<std::unique_ptr<ServerHistory>> views_;  // views of this history
  std::uint64_t moves_ = 0;
  std::map<std::string, Changes> keys_;
  std::pair<std::string, std::string> announced_;
  std::set<std::tuple<std::string, std::int64_t, std::string, std::string, std::string>> existed_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SERVER_HISTORY_H_
