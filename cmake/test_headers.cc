// A program of its own, because CMake keeps precompiled headers beside one.

int main() { return 0; }
