#include "object/block/packing.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <zdict.h>
#include <zstd.h>

#include "kinformer/internal/block.h"

#include "object/block/block_assembly.h"

namespace kinformer::internal {
namespace {

// Higher levels save a tenth more, but write five times slower, and their tables take a megabyte
// (docs/inside/benchmarks.md).
constexpr int kLevel = 1;
constexpr std::size_t kDictionaryBytes = std::size_t{32} << 10;

struct FreeContexts {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* CompressContext() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContexts> context = [] {
    std::unique_ptr<ZSTD_CCtx, FreeContexts> made(ZSTD_createCCtx());
    // The block itself stores the size and the dictionary.
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(made.get(), ZSTD_c_dictIDFlag, 0);
    return made;
  }();
  return context.get();
}

ZSTD_DCtx* DecompressContext() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContexts> context(ZSTD_createDCtx());
  return context.get();
}

// Copies the part of a block that is compressed. Name, namespace, uid and resourceVersion stay
// readable outside and are zeros here: texts that are unique to an object do not compress.
void Content(const Block& block, std::string& content) {
  content.clear();
  BlockBuilder::AppendContent(block, content);
}

}  // namespace

Dictionary::~Dictionary() {
  ZSTD_freeCDict(static_cast<ZSTD_CDict*>(compress_));
  ZSTD_freeDDict(static_cast<ZSTD_DDict*>(decompress_));
}

void Dictionary::Release() const {
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

ObjectRef Dictionary::Pack(const ObjectRef& object) const {
  if (object->packed()) return object;
  thread_local std::string content;
  thread_local std::string frame;
  Content(*object, content);
  frame.resize(ZSTD_compressBound(content.size()));
  ZSTD_CCtx* const context = CompressContext();
  ZSTD_CCtx_refCDict(context, static_cast<const ZSTD_CDict*>(compress_));
  const std::size_t size =
      ZSTD_compress2(context, frame.data(), frame.size(), content.data(), content.size());
  if (ZSTD_isError(size) != 0) return object;
  ObjectRef packed =
      BlockBuilder::AllocatePacked(*object, this, {frame.data(), size}, content.size());
  return packed->allocated_bytes() < object->allocated_bytes() ? packed : object;
}

ObjectRef Unpacked(const ObjectRef& object) {
  if (!object || !object->packed()) return object;
  const BlockBuilder::Packed packed = BlockBuilder::OpenPacked(*object);
  thread_local std::string content;
  content.resize(packed.content_size);
  const std::size_t size = ZSTD_decompress_usingDDict(
      DecompressContext(), content.data(), content.size(), packed.frame.data(), packed.frame.size(),
      static_cast<const ZSTD_DDict*>(packed.dictionary->decompress_));
  // Only this process writes these bytes, so a mismatch is a bug or broken memory.
  if (ZSTD_isError(size) != 0 || size != content.size()) std::abort();
  return BlockBuilder::Unpack(*object, content);
}

void DictionaryTrainer::Add(const Block& object) {
  if (object.packed()) return;
  std::string content;
  Content(object, content);
  sizes_.push_back(content.size());
  samples_ += content;
}

DictionaryRef DictionaryTrainer::Train() {
  if (sizes_.empty()) return {};
  // Objects of one collection are so alike that a few whole objects are as good a dictionary as the
  // pieces that zstd's search would choose, which takes twenty times longer. All samples are used
  // for the statistics.
  std::string text(kDictionaryBytes, '\0');
  const std::size_t content = std::min(samples_.size(), kDictionaryBytes - 1024);
  ZDICT_params_t params{};
  params.compressionLevel = kLevel;
  const std::size_t size = ZDICT_finalizeDictionary(
      text.data(), text.size(), samples_.data() + samples_.size() - content, content,
      samples_.data(), sizes_.data(), static_cast<unsigned>(sizes_.size()), params);
  samples_ = {};
  sizes_ = {};
  if (ZDICT_isError(size) != 0) return {};
  std::unique_ptr<Dictionary, void (*)(Dictionary*)> made(new Dictionary,
                                                          [](Dictionary* d) { d->Release(); });
  ZSTD_CDict* const compress = ZSTD_createCDict(text.data(), size, kLevel);
  ZSTD_DDict* const decompress = ZSTD_createDDict(text.data(), size);
  made->compress_ = compress;
  made->decompress_ = decompress;
  if (compress == nullptr || decompress == nullptr) return {};
  made->bytes_ = ZSTD_sizeof_CDict(compress) + ZSTD_sizeof_DDict(decompress);
  return DictionaryRef(made.release());
}

}  // namespace kinformer::internal
