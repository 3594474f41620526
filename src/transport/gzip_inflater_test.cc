#include "transport/gzip_inflater.h"

#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

namespace kinformer::internal::transport {
namespace {

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
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
