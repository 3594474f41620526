// Prints the definitions of the operator's kinds: `kinformer crd gen` makes manifests of them.

#include <iostream>

#include "kinformer/object/crd.h"

#include "website.h"

int main() { std::cout << kinformer::crd::Yaml<Website>().OrExit(); }
