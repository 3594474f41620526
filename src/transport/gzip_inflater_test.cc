#include "transport/gzip_inflater.h"

#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

namespace kinformer::internal::transport {
namespace {

// `bits` chooses the wrapping: 16 more for gzip, less than 0 for none.
std::string Deflate(const std::string& text, int bits, int level = 6) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string in = text;
  std::string out(deflateBound(&stream, in.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Gzip(const std::string& text) { return Deflate(text, 16 + MAX_WBITS); }

struct Collected {
  std::string text;
  Result<void> result;
  Result<void> end;
};

Collected InflateInSteps(const std::string& data, std::size_t step) {
  Collected got;
  GzipInflater inflater;
  for (std::size_t at = 0; at < data.size() && got.result; at += step) {
    got.result = inflater.Write(std::string_view(data).substr(at, step), [&](std::string_view s) {
      got.text += s;
      return true;
    });
  }
  got.end = inflater.Finish();
  return got;
}

std::string Long() {
  std::string text;
  for (int i = 0; i < 30000; ++i) text += "item " + std::to_string(i * 7919) + "\n";
  return text;
}

TEST(GzipInflater, SeveralMembersInAnySteps) {
  const std::string text = Long();
  const std::string data = Gzip(text) + Gzip("") + Gzip("tail");
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, data.size()}) {
    const Collected got = InflateInSteps(data, step);
    EXPECT_TRUE(got.result.ok()) << step;
    EXPECT_TRUE(got.end.ok()) << step;
    EXPECT_EQ(got.text, text + "tail") << step;
  }
}

TEST(GzipInflater, HugeExpansionOfAFewBytesComesOutWhole) {
  const std::string zeros(1 << 20, '\0');
  EXPECT_EQ(InflateInSteps(Gzip(zeros), 100).text, zeros);
}

TEST(GzipInflater, TruncationIsAnUnexpectedEof) {
  const std::string data = Gzip(Long());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, data.size() / 2, data.size() - 1}) {
    const Collected got = InflateInSteps(data.substr(0, size), 1000);
    EXPECT_TRUE(got.result.ok()) << size;
    ASSERT_FALSE(got.end.ok()) << size;
    EXPECT_EQ(got.end.error().reason(), Reason::kUnexpectedEof) << size;
  }
}

TEST(GzipInflater, GarbageIsADecodeError) {
  const Collected plain = InflateInSteps("{\"kind\":\"PodList\"}", 4);
  ASSERT_FALSE(plain.result.ok());
  EXPECT_EQ(plain.result.error().reason(), Reason::kDecode);
  std::string broken = Gzip(Long());
  broken[broken.size() / 2] = static_cast<char>(broken[broken.size() / 2] ^ 0x55);
  broken[broken.size() - 6] = static_cast<char>(broken[broken.size() - 6] ^ 0x55);
  EXPECT_FALSE(InflateInSteps(broken, 1000).result.ok());
}

// The header Content-Encoding names gzip alone: no zlib header, no raw data.
TEST(GzipInflater, OtherWrappings_AreDecodeErrors) {
  for (const int bits : {MAX_WBITS, -MAX_WBITS}) {
    const Collected got = InflateInSteps(Deflate(Long(), bits), 1000);
    ASSERT_FALSE(got.result.ok()) << bits;
    EXPECT_EQ(got.result.error().reason(), Reason::kDecode) << bits;
    EXPECT_TRUE(got.result.error().message().starts_with("gzip body: ")) << bits;
    EXPECT_EQ(got.text, "");
  }
}

TEST(GzipInflater, FaultyBody_IsRefusedWithZlibsWords) {
  EXPECT_EQ(InflateInSteps("plain text", 4).result.error().message(),
            "gzip body: incorrect header check");
  std::string sum = Gzip("text");
  sum[sum.size() - 8] = static_cast<char>(sum[sum.size() - 8] ^ 1);
  EXPECT_EQ(InflateInSteps(sum, sum.size()).result.error().message(),
            "gzip body: incorrect data check");
  EXPECT_EQ(InflateInSteps("", 1).end.error().message(), "gzip body: it ends in the middle");
}

TEST(GzipInflater, EachByte_ComesAsSoonAsItCanBeDecoded) {
  for (const std::size_t size : {0U, 1U, 2U, 32767U, 32768U, 32769U, 65536U}) {
    const std::string text(size, 'x');
    GzipInflater inflater;
    std::size_t got = 0;
    EXPECT_TRUE(inflater
                    .Write(Gzip(text) + Gzip("y"),
                           [&](std::string_view piece) {
                             EXPECT_FALSE(piece.empty());
                             got += piece.size();
                             return true;
                           })
                    .ok());
    EXPECT_EQ(got, size + 1);
    EXPECT_TRUE(inflater.Finish().ok());
    EXPECT_TRUE(inflater.Write("\x1f", [](std::string_view) { return true; }).ok());
    EXPECT_EQ(inflater.Finish().error().reason(), Reason::kUnexpectedEof) << "a member has begun";
  }
}

// Neither the size of a piece nor a full buffer at its end keeps bytes back.
TEST(GzipInflater, Piece_GivesAllThatItsBytesHold) {
  for (const std::string& text : {std::string(300000, 'x'), Long().substr(0, 40000)}) {
    const std::string data = Gzip(text);
    GzipInflater by_bytes;
    std::size_t want = 0;
    for (std::size_t size = 1; size <= data.size(); ++size) {
      EXPECT_TRUE(by_bytes
                      .Write(std::string_view(data).substr(size - 1, 1),
                             [&](std::string_view piece) {
                               want += piece.size();
                               return true;
                             })
                      .ok());
      if (size > 1000 && size % 97 != 0) continue;
      GzipInflater at_once;
      std::size_t got = 0;
      EXPECT_TRUE(at_once
                      .Write(std::string_view(data).substr(0, size),
                             [&](std::string_view piece) {
                               got += piece.size();
                               return true;
                             })
                      .ok());
      EXPECT_EQ(got, want) << size;
    }
    EXPECT_EQ(want, text.size());
  }
}

TEST(GzipInflater, PieceThatFillsTheBufferExactly_IsNoError) {
  std::string text;
  for (unsigned i = 0; i < 40000; ++i) text += static_cast<char>(i * 2654435761U >> 24U);
  const std::string data = Deflate(text, 16 + MAX_WBITS, Z_NO_COMPRESSION);
  for (std::size_t size = 32768; size < 32768 + 40; ++size) {
    const Collected got = InflateInSteps(data, size);
    EXPECT_TRUE(got.result.ok()) << size;
    EXPECT_TRUE(got.end.ok()) << size;
    EXPECT_EQ(got.text, text) << size;
  }
}

TEST(GzipInflater, TheSinkMayStopIt) {
  GzipInflater inflater;
  int calls = 0;
  EXPECT_TRUE(inflater
                  .Write(Gzip(std::string(1 << 20, 'x')),
                         [&](std::string_view) {
                           ++calls;
                           return false;
                         })
                  .ok());
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace kinformer::internal::transport
