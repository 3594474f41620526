// controller/delegating/write_match.h
//
// Match before write: whether a write would change nothing in the object as the cache has it. Only
// if the cache can be relied on: it is synced, shows this client's own writes to the object, keeps
// whole objects that no transform has changed, and has the object, which is not being deleted.

#ifndef KINFORMER_CONTROLLER_DELEGATING_WRITE_MATCH_H_
#define KINFORMER_CONTROLLER_DELEGATING_WRITE_MATCH_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/delegating_client_core.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/internal/written_struct.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_name.h"

#include "controller/delegating/delegating_state.h"

namespace kinformer::internal::delegating {

// The cached object, if the cache can be relied on.
struct MatchableObject {
  ObjectRef object{};  // not packed; null: it cannot
  std::uint64_t epoch = 0;
};
[[nodiscard]] MatchableObject Matchable(DelegatingState& state, const KindInfo& type,
                                        const ObjectName& name, const CallBounds& bounds);

// Each returns the cached object if the write need not be sent, and counts that; null: send it.
[[nodiscard]] ObjectRef MatchedUpdate(DelegatingState& state, const KindInfo& type,
                                      const RequestObject& object, std::string_view subresource,
                                      const UpdateOptions& options, const CallBounds& bounds);
// The same before the struct is encoded: finds only what has the very bytes of the cached object.
[[nodiscard]] ObjectRef MatchedUpdate(DelegatingState& state, const KindInfo& type,
                                      const WrittenStruct& object, std::string_view subresource,
                                      const UpdateOptions& options, const CallBounds& bounds);
// Patches of all types; of a server-side apply, the body is its configuration.
[[nodiscard]] ObjectRef MatchedPatch(DelegatingState& state, const KindInfo& type,
                                     const ObjectName& name, const kinformer::Patch& patch,
                                     std::string_view subresource, const PatchOptions& options,
                                     const CallBounds& bounds);

// The patch has been answered with `answer`. What an apply answers tells which places are atomic,
// and that it changes nothing if it is repeated in that version.
void LearnFromPatch(DelegatingState& state, const KindInfo& type, const kinformer::Patch& patch,
                    std::string_view subresource, const PatchOptions& options, const Block& answer);

// The same for a server-side apply of an object, known by the object as it is given: that costs
// less than to make the configuration of it.
class AppliedObject {
 public:
  // `object` must outlive it. `name`: see AsyncDelegatingClientCore::Apply.
  AppliedObject(const KindInfo& type, const ObjectName& name, std::string_view subresource,
                const RequestObject& object, const ApplyOptions& options);

  // Returns the cached object if the same has been found to change nothing in that version.
  [[nodiscard]] ObjectRef Known(DelegatingState& state, const CallBounds& bounds) const;
  // The apply was answered with `answer`, or matched that.
  void Learn(DelegatingState& state, const Block& answer) const;

 private:
  [[nodiscard]] matching::KnownMatches::Fingerprint PrintOf(DelegatingState& state,
                                                            const Block& object,
                                                            std::uint64_t epoch) const;

  const KindInfo& type_;
  const ObjectName name_;
  const std::string_view subresource_;
  const std::string_view manager_;
  const bool force_;
  const bool dry_run_;
  std::string json_{};  // where there is no protobuf
  std::string_view body_;
};

// Returns the object's version before a patch, if the answer shows that nobody else has changed it
// in between; empty: unknown.
[[nodiscard]] std::string PatchedVersion(const Block& before, const Block& answer,
                                         const kinformer::Patch& patch);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_WRITE_MATCH_H_
