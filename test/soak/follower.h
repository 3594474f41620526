// soak/follower.h
//
// Follower: an informer of all ConfigMaps, whose handler records its events, so that both can be
// compared with the server.

#ifndef KINFORMER_TEST_SOAK_FOLLOWER_H_
#define KINFORMER_TEST_SOAK_FOLLOWER_H_

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/object/ref.h"

namespace kinformer::testing {

// State of the server, by key.
using ServerState = std::map<std::string, Ref<corev1::ConfigMap>>;

// Lists the server. The bytes of objects are comparable with those of informers whose client uses
// the same encoding.
ServerState ListServer(const Client& client);

// Used by one thread.
class Follower {
 public:
  // `number` selects the options, so that ten followers have nearly all combinations of list and
  // watch-list, queue, and overflow policy.
  Follower(const Client& client, int number);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Waits until the cache has reached `version`, and the handler has received everything in the
  // cache; then compares both with `server`, the cache by key, uid, resourceVersion and bytes.
  // Returns the error, or an empty text.
  [[nodiscard]] std::string Check(const std::string& version, const ServerState& server,
                                  std::chrono::steady_clock::time_point deadline) const;
  [[nodiscard]] InformerStatus Status() const { return informer_.Status(); }
  [[nodiscard]] InformerStats Stats() const { return informer_.Stats(); }

 private:
  class Told;

  [[nodiscard]] std::string CheckCache(const ServerState& server) const;
  [[nodiscard]] std::string CheckHandler(const ServerState& server,
                                         std::chrono::steady_clock::time_point deadline) const;

  SharedInformer<corev1::ConfigMap> informer_;
  const std::shared_ptr<Told> told_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SOAK_FOLLOWER_H_
