// Uses an installed kinformer as an outside program does: the embedded API server and an informer
// on it, in one process.

#include <iostream>

#include "kinformer/api/corev1.h"
#include "kinformer/label_selector.h"

int main() {
  const auto selector = kinformer::LabelSelector::Parse("app in (web, api)").OrExit();
  std::cout << kinformer::corev1::Pod::type_info().resource << ' ' << selector.ToString() << '\n';
}
