// apiserver/read/rendered_list.h
//
// Lists for people, in pieces: what stands around the items, and one item. Together they are what
// Render (apiserver/request/object_encoder.h) would make of the whole.

#ifndef KINFORMER_APISERVER_READ_RENDERED_LIST_H_
#define KINFORMER_APISERVER_READ_RENDERED_LIST_H_

#include <string>

#include "apiserver/request/object_encoder.h"

namespace kinformer::apiserver {

struct ListFrame {
  std::string head{};
  std::string before_first{};
  std::string between{};
  std::string after_last{};
  std::string instead{};  // where there are no items
  std::string tail{};
};

// REQUIRES: the encoder's format is YAML or pretty JSON.
ListFrame RenderedFrame(const ObjectEncoder& encoder, const ListHead& head);
// `item`: JSON.
std::string RenderItem(const OutputFormat& format, const std::string& item);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_READ_RENDERED_LIST_H_
