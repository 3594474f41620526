#include "apiserver/read/frame_maker.h"

namespace kinformer::apiserver {

FrameMaker::Ticket FrameMaker::Make(const ObjectEncoder& encoder, EventType type,
                                    const StoredObjectPtr& stored, bool first, Done done) {
  auto ticket = std::make_shared<const Done>(std::move(done));
  const auto [at, is_new] = jobs_.try_emplace({stored, encoder.FrameKey(type, first)});
  at->second.waiting.push_back(ticket);
  if (is_new) Start(encoder, type, first, at->first);
  return ticket;
}

void FrameMaker::Start(const ObjectEncoder& encoder, EventType type, bool first, const Key& key) {
  struct Work {
    ObjectEncoder encoder;
    StoredObjectPtr copy;
    Frame frame{};
  };
  const auto work = std::make_shared<Work>(Work{
      .encoder = ObjectEncoder(Unchanging(encoder.at()), encoder.format(), encoder.now()),
      .copy = key.first->Copy(),
  });
  jobs_[key].under_way = off_loop_.Start(
      [work, type, first] {
        work->frame =
            std::make_shared<const std::string>(work->encoder.Frame(type, work->copy, first));
      },
      [this, work, key] {
        const Job job = std::move(jobs_.extract(key).mapped());
        for (const auto& waiting : job.waiting) {
          if (const Ticket done = waiting.lock()) (*done)(work->frame);
        }
      });
}

}  // namespace kinformer::apiserver
