#include "client/body_feed.h"

#include <cstddef>
#include <ios>
#include <istream>
#include <utility>

#include "base/core/user_call.h"

namespace kinformer {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

Result<std::string> ReadPiece(std::istream& stream) {
  std::string piece(kPiece, '\0');
  stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return Error(Reason::kUnreadable, "the std::istream cannot be read");
  return piece;
}

}  // namespace

BodyStream BodyStream::Of(std::shared_ptr<std::istream> stream) {
  BodyStream body;
  const std::istream::pos_type begin = stream->tellg();
  std::istream::pos_type end = -1;
  if (begin != std::istream::pos_type(-1) && stream->seekg(0, std::ios::end)) {
    end = stream->tellg();
    stream->seekg(begin);
  }
  stream->clear(stream->rdstate() & ~(std::ios::failbit | std::ios::eofbit));
  Read read = [stream] { return ReadPiece(*stream); };
  if (end == std::istream::pos_type(-1)) {
    body.read = std::move(read);
    return body;
  }
  body.size = static_cast<std::uint64_t>(end - begin);
  body.open = [stream = std::move(stream), begin, read = std::move(read)]() -> Result<Read> {
    stream->clear();
    if (!stream->seekg(begin)) {
      return Error(Reason::kUnreadable, "the std::istream cannot seek to where it began");
    }
    return read;
  };
  return body;
}

namespace internal::client {

BodyFeed::BodyFeed(Env& env, std::shared_ptr<const void> keeper, std::shared_ptr<BodySource> source,
                   std::string request)
    : env_(env),
      keeper_(std::move(keeper)),
      source_(std::move(source)),
      request_(std::move(request)) {}

std::shared_ptr<BodyPipe> BodyFeed::Open() {
  auto pipe = std::make_shared<BodyPipe>(source_->stream.size);
  pipe->SetRoom(wake_);
  {
    const base::MutexLock lock(mutex_);
    pipe_ = pipe;
    fresh_ = true;
  }
  if (wake_) wake_();
  return pipe;
}

void BodyFeed::Pump() {
  {
    const base::MutexLock lock(mutex_);
    if (runs_ || pipe_ == nullptr || !pipe_->wants_more()) return;
    runs_ = true;
  }
  if (!env_.OnLoopThread()) return Run();
  env_.pool().Post([self = shared_from_this()] { self->Run(); });
}

void BodyFeed::Run() {
  while (const std::shared_ptr<BodyPipe> pipe = Next()) ReadInto(*pipe);
}

std::shared_ptr<BodyPipe> BodyFeed::Next() {
  BodyStream::Read former;  // ends outside of the lock
  const base::MutexLock lock(mutex_);
  if (!pipe_->wants_more()) {
    runs_ = false;
    return nullptr;
  }
  if (std::exchange(fresh_, false)) former.swap(read_);
  return pipe_;
}

void BodyFeed::ReadInto(BodyPipe& pipe) {
  const auto of = [this] { return request_; };
  if (!read_) {
    Result<BodyStream::Read> begun =
        base::CallUserForResult(env_, "BodyStream::open", [&] { return Begin(); }, of);
    if (!begun) return pipe.Fail(Error(begun.error()).WithContext("the request's body"));
    read_ = *std::move(begun);
  }
  Result<std::string> piece =
      base::CallUserForResult(env_, "BodyStream::read", [&] { return read_(); }, of);
  if (!piece) {
    pipe.Fail(Error(piece.error()).WithContext("the request's body"));
  } else if (piece->empty()) {
    pipe.Close();
  } else {
    pipe.Write(*std::move(piece));
  }
}

Result<BodyStream::Read> BodyFeed::Begin() const {
  if (!rewinds()) return source_->stream.read;
  Result<BodyStream::Read> read = source_->stream.open();
  if (read && !*read) {
    return Error(Reason::kInvalidArgument, "BodyStream::open returned no function");
  }
  return read;
}

}  // namespace internal::client
}  // namespace kinformer
