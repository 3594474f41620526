#include "client/list_call.h"

#include <utility>

#include "client/object_codec.h"
#include "client/object_head.h"

namespace kinformer::internal::client {

void ListCall::Start(const ListOptions& options) {
  if (!Prepare(options, /*watch=*/false)) return;
  ticket() = source().engine->list_gate().Enter([this] { exchange().Start(); });
}

void ListCall::StartAtOnce(const ListOptions& options, Duration timeout) {
  if (!Prepare(options, /*watch=*/false, timeout)) return;
  exchange().Start();
}

void ListCall::Accepted() { splitter_.emplace(encoding(), source().entry.max_object_bytes); }

Result<void> ListCall::Feed(std::string_view data) {
  return InContext(splitter_->Feed(data, *this));
}

Result<void> ListCall::OnItem(std::string_view item, const wire::JsonBitmap* bitmap) {
  Result<ObjectRef> object = source().Build(encoding(), item, bitmap);
  if (object) {
    if (Selects(**object)) receiver_.OnItem(*std::move(object));
    return {};
  }
  return Unreadable(HeadOf(encoding(), item), std::move(object).error());
}

Result<void> ListCall::OnTooLarge(std::string_view front, Error error) {
  return Unreadable(HeadOfFront(encoding(), front), std::move(error));
}

Result<void> ListCall::Unreadable(ObjectHead head, Error why) {
  if (!source().Identify(head)) {
    // An unnamed object could be any of those missing from the list.
    return std::move(why.WithContext(
        "the list is incomplete, and is not used: an object of it cannot be read, nor can its "
        "name"));
  }
  receiver_.OnUnreadable(head.namespace_, head.name, why);
  return {};
}

Result<void> ListCall::Judge(Result<void> result) {
  if (!result || !splitter_) return result;
  if (Result<void> whole = splitter_->Finish(); !whole) return InContext(std::move(whole));
  const wire::ListHead& head = splitter_->head();
  return InContext(CheckKind(*source().type, Shape::kList, head.apiVersion, head.kind));
}

void ListCall::Ended(Result<void> result) {
  if (!result) {
    receiver_.OnDone(std::move(result).error());  // may destroy this
    return;
  }
  ListMeta meta;
  if (splitter_) {
    meta.resourceVersion = splitter_->head().resourceVersion;
    meta.continue_ = splitter_->head().continue_;
    meta.remainingItemCount = splitter_->head().remainingItemCount;
    meta.shardInfo = splitter_->head().shardInfo;
  }
  receiver_.OnDone(std::move(meta));  // may destroy this
}

Result<void> ListCall::InContext(Result<void> result) {
  if (result) return result;
  return std::move(Error(std::move(result).error()).WithContext("GET " + source().path));
}

}  // namespace kinformer::internal::client
