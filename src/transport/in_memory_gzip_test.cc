// The in-memory transport's compressed responses.

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>
#include <zlib.h>

#include "kinformer/client/transport.h"

#include "transport/in_memory_scene_for_test.h"

namespace kinformer::internal::transport {
namespace {

using State = ResponseStream::State;
using Texts = std::vector<std::string>;

std::string Gzip(std::string text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

using InMemoryGzip = InMemoryScene;

TEST_F(InMemoryGzip, Gzip_IsDecodedInPiecesUntilTheReceiverEnds) {
  const std::string text(200000, 'x');
  for (const int ends : {0, 1, 2}) {
    Make();
    script().headers.Add("Content-Encoding", "gzip");
    script().steps = {{.parts = {Gzip(text)}, .state = State::kEnd}};
    TimedReceiver got(sim_.env());
    got.on_data = [&] {
      if (ends == 1) got.call.reset();
      if (ends == 2) transport_->Down();
    };
    Start(got);
    sim_.RunReady();
    if (ends == 0) {
      EXPECT_EQ(got.bytes, text.size());
      EXPECT_GT(got.calls.size(), 4U);
      EXPECT_EQ(got.calls.back(), "done");
      EXPECT_EQ(transport_->Stats().bytes_received, Gzip(text).size());
    } else {
      EXPECT_EQ(got.calls.size(), ends == 1 ? 2U : 3U);
      EXPECT_EQ(got.done, ends == 2);
    }
  }
}

TEST_F(InMemoryGzip, Gzip_ThatIsCutOrBadIsAnError) {
  const std::string whole = Gzip("text");
  for (const auto& [body, reason] :
       {std::pair{whole.substr(0, whole.size() - 1), Reason::kUnexpectedEof},
        std::pair{std::string("no gzip"), Reason::kDecode}}) {
    Make();
    script().headers.Add("Content-Encoding", "gzip");
    script().steps = {{.parts = {body}, .state = State::kEnd}};
    TimedReceiver got(sim_.env());
    Start(got);
    sim_.RunReady();
    EXPECT_TRUE(got.done);
    EXPECT_EQ(got.reason, reason) << got.calls.back();
    EXPECT_TRUE(got.calls.back().starts_with("failed: gzip body: ")) << got.calls.back();
  }
  Make();
  script().headers.Add("Content-Encoding", "identity");
  script().steps = {{.parts = {"plain"}, .state = State::kEnd}};
  TimedReceiver got(sim_.env());
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.calls, (Texts{"head 200 1", "data plain", "done"}));
}

}  // namespace
}  // namespace kinformer::internal::transport
