#include "apiserver/server/shared_objects.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "kinformer/base/log.h"

#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/stored_values.h"
#include "apiserver/server/whole_state.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {
namespace {

Error NotSeen(const std::string& what) {
  return Error(Reason::kTimeout,
               what + ": etcd's changes do not arrive at this server for now, try again")
      .WithHttpStatus(504);
}

Error NotShown(const SharedAnswer& answer) {
  return NotSeen(answer.made ? "the change is made, but not shown yet"
                             : "another server's change came first, and is not shown yet");
}

// Returns where claims stand: keys that no object of kube-apiserver has.
std::string ClaimKey(const std::string& claim) { return "kinformer.io/claims/" + claim; }

std::vector<std::string> ClaimsLeft(const std::vector<std::string>& from,
                                    const std::vector<std::string>& without) {
  std::vector<std::string> left;
  std::set_difference(from.begin(), from.end(), without.begin(), without.end(),
                      std::back_inserter(left));
  for (std::string& claim : left) claim = ClaimKey(claim);
  return left;
}

bool HasLessKey(const StoredObjectPtr& a, const StoredObjectPtr& b) { return a->key() < b->key(); }

// Returns the index of the version in `forms`, where it is added if it is new.
std::uint32_t FormIn(std::vector<std::string>& forms, const std::string& version) {
  const auto found = std::find(forms.begin(), forms.end(), version);
  const auto index = static_cast<std::uint32_t>(found - forms.begin());
  if (found == forms.end()) forms.push_back(version);
  return index;
}

}  // namespace

SharedObjects::SharedObjects(ServerState& state, ObjectWriter& writer, Lifecycle& lifecycle,
                             std::shared_ptr<SharedStorage> storage, std::function<void()> reload)
    : state_(state),
      writer_(writer),
      lifecycle_(lifecycle),
      storage_(std::move(storage)),
      reload_(std::move(reload)) {}

SharedObjects::~SharedObjects() { storage_->SetWake({}); }

void SharedObjects::TakeUp() {
  Replace(storage_->TakeBase());
  storage_->SetWake([this] { OnNews(); });
  if (!Reach(storage_->opened_at())) {
    state_.env.log().Log(LogLevel::kWarning,
                         "the server begins with older objects: etcd's changes do not arrive",
                         {{"version", std::to_string(state_.resource_version)}});
  }
}

void SharedObjects::OnNews() {
  const internal::base::WorkSlice turn(state_.env);
  while (std::optional<SharedBatch> batch = storage_->Next()) {
    Apply(*batch);
    if (!turn.over()) continue;
    if (std::exchange(posted_, true)) return;
    return state_.env.loop().Post(own_calls_.Guard([this] {
      posted_ = false;
      OnNews();
    }));
  }
  FollowLead();
}

void SharedObjects::FollowLead() {
  if (led_ == storage_->leads()) return;
  led_ = !led_;
  state_.env.log().Log(
      LogLevel::kInfo,
      led_ ? "this server leads the servers of the etcd" : "this server no longer leads", {});
  if (!led_) return;
  // Does what the leader before it has left.
  writer_.StateReplaced();
  reload_();
}

bool SharedObjects::Reach(std::int64_t version) {
  const SteadyTime deadline = state_.env.Now() + storage_->patience();
  while (state_.resource_version < version) {
    if (std::optional<SharedBatch> batch = storage_->Next()) {
      Apply(*batch);
    } else if (!storage_->WaitForNext(deadline)) {
      return false;
    }
  }
  return true;
}

// ---- Changes

void SharedObjects::Apply(const SharedBatch& batch) {
  if (batch.replaces) return Replace(batch);
  state_.resource_version = std::max(state_.resource_version, batch.revision);
  std::vector<ObjectWriter::Applied> applied;
  for (const SharedEntry& entry : batch.entries) ApplyEntry(entry, applied);
  state_.VersionReached();
  // Observers may write, which applies further changes.
  for (const ObjectWriter::Applied& one : applied) writer_.Tell(one);
}

void SharedObjects::ApplyEntry(const SharedEntry& entry,
                               std::vector<ObjectWriter::Applied>& applied) {
  const StoredPlace place = PlaceOfStored(state_.resources, entry.key);
  if (!place.known()) return;
  const std::shared_ptr<ServedResource> resource =
      state_.resources.FindGroupResource(place.group, place.plural);
  if (resource == nullptr || resource->stored != nullptr) return;
  if (entry.removed) {
    auto removed = writer_.ApplyRemoval(resource, place.key, entry.revision);
    if (removed) applied.push_back(*std::move(removed));
    return;
  }
  json::Value object;
  const StoredObjectPtr stored = Made(place, *resource, entry, object);
  if (stored == nullptr) return;
  applied.push_back(writer_.Apply(resource, stored, std::move(object)));
}

StoredObjectPtr SharedObjects::Made(const StoredPlace& place, ServedResource& resource,
                                    const SharedEntry& entry, json::Value& object) const {
  Result<ReadObject> read = ReadValue(state_.resources, &resource, entry.value);
  if (!read) {
    NotRead(entry, read.error());
    return nullptr;
  }
  std::uint32_t form = 0;
  if (resource.custom) {
    std::vector<std::string> forms = *resource.forms;
    form = FormIn(forms, read->version);
    if (forms.size() != resource.forms->size()) {
      resource.forms = std::make_shared<const std::vector<std::string>>(std::move(forms));
    }
  }
  object = std::move(read->object);
  StoredObjectPtr stored = StoredObject::Make(object, entry.revision, resource.fields, form);
  if (stored->key() == place.key) return stored;
  NotRead(entry, Error(Reason::kDecode, "the object has another name: " + stored->key()));
  return nullptr;
}

void SharedObjects::NotRead(const SharedEntry& entry, const Error& why) const {
  state_.env.log().Log(LogLevel::kError, "an object in etcd is not served",
                       {{"key", entry.key}, {"error", std::string(why.message())}});
}

void SharedObjects::Replace(const SharedBatch& batch) {
  std::map<std::pair<std::string, std::string>, SavedResource> saved;
  for (const SharedEntry& entry : batch.entries) {
    const StoredPlace place = PlaceOfStored(state_.resources, entry.key);
    if (!place.known()) continue;
    const auto resource = state_.resources.FindGroupResource(place.group, place.plural);
    const bool built_in = resource != nullptr && !resource->custom;
    Result<ReadObject> read =
        ReadValue(state_.resources, built_in ? resource.get() : nullptr, entry.value);
    if (!read) {
      NotRead(entry, read.error());
      continue;
    }
    SavedResource& out = saved[std::pair(place.group, place.plural)];
    out.group = place.group;
    out.plural = place.plural;
    // Fields of custom resources are found when their definitions are known.
    out.fields = built_in ? FieldsKey(resource->fields) : "unknown";
    const std::uint32_t form = built_in ? 0 : FormIn(out.forms, read->version);
    std::span<const SelectableField> fields;
    if (built_in) fields = resource->fields;
    out.objects.push_back(StoredObject::Make(read->object, entry.revision, fields, form));
  }
  SavedState state{.resource_version = batch.revision};
  for (auto& [name, resource] : saved) {
    std::sort(resource.objects.begin(), resource.objects.end(), HasLessKey);
    state.resources.push_back(std::move(resource));
  }
  TakeUpShared(state_, lifecycle_, writer_, std::move(state));
  reload_();
}

// ---- Writes

SharedWrite SharedObjects::WriteOf(const SharedChange& change) {
  const ServedResource& resource = *change.resource;
  const StoredObject& named = change.made == nullptr ? *change.over : *change.made;
  SharedWrite write{.key = StoredKeyOf(resource, named.key())};
  if (change.over != nullptr) write.expected = change.over->resource_version();
  if (change.made != nullptr) write.value = ValueOf(resource, *change.made);
  const std::vector<std::string> before = ClaimsOf(resource, change.over.get());
  const std::vector<std::string> after = ClaimsOf(resource, change.made.get());
  write.claims = ClaimsLeft(after, before);
  write.releases = ClaimsLeft(before, after);
  return write;
}

std::shared_ptr<void> SharedObjects::Commit(SharedChange change,
                                            std::function<void(Committed)> done) {
  auto ticket = std::make_shared<int>(0);
  // Whoever has the ticket ends before this.
  const auto answered = [this, weak = std::weak_ptr<int>(ticket),
                         done = std::move(done)](const Result<SharedAnswer>& answer) {
    if (weak.expired()) return;
    if (!answer) return done(answer.error());
    WhenReached(answer->revision, weak, [done, answer = *answer](const Result<void>& reached) {
      if (!reached) return done(NotShown(answer));
      done(answer.made ? std::optional(answer.revision) : std::nullopt);
    });
  };
  storage_->Write(WriteOf(change), answered);
  return ticket;
}

SharedCommits::Committed SharedObjects::CommitNow(const SharedChange& change) {
  const Result<SharedAnswer> answer = storage_->WriteNow(WriteOf(change));
  if (!answer) return answer.error();
  if (!Reach(answer->revision)) return NotShown(*answer);
  return answer->made ? std::optional<std::int64_t>(answer->revision) : std::nullopt;
}

void SharedObjects::WhenReached(std::int64_t version, std::weak_ptr<int> ticket,
                                std::function<void(Result<void>)> done) {
  if (version <= state_.resource_version) return done({});
  struct Waiting {
    ServerState::WaitId wait{};
    Deadlines::Id deadline{};
  };
  auto waiting = std::make_shared<Waiting>();
  const auto end = [this, waiting, ticket = std::move(ticket),
                    done = std::move(done)](bool reached) {
    if (reached) {
      state_.deadlines.Remove(waiting->deadline);
    } else {
      state_.CancelWait(waiting->wait);
    }
    // Never from inside the change that was waited for.
    state_.Post([ticket, done, reached] {
      if (ticket.expired()) return;
      done(reached ? Result<void>() : NotSeen("the latest state is not known"));
    });
  };
  waiting->wait = state_.WaitFor(version, [end] { end(true); });
  waiting->deadline =
      state_.deadlines.Add(state_.env.Now() + storage_->patience(), [end] { end(false); });
}

std::shared_ptr<void> SharedObjects::Freshen(std::function<void(Result<void>)> done) {
  auto ticket = std::make_shared<int>(0);
  askers_.push_back({.ticket = ticket, .done = std::move(done)});
  if (!asking_) AskRevision();
  return ticket;
}

void SharedObjects::AskRevision() {
  asking_ = true;
  std::vector<Asker> asked = std::exchange(askers_, {});
  storage_->AskRevision([this, alive = std::weak_ptr<int>(alive_),
                         asked = std::move(asked)](const Result<std::int64_t>& revision) {
    if (alive.expired()) return;
    asking_ = false;
    // Later askers may not be satisfied with this answer.
    if (!askers_.empty()) AskRevision();
    for (const Asker& asker : asked) {
      if (asker.ticket.expired()) continue;
      if (revision.ok()) {
        WhenReached(*revision, asker.ticket, asker.done);
      } else {
        asker.done(revision.error());
      }
    }
  });
}

}  // namespace kinformer::apiserver
