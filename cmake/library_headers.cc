// The precompiled headers of the library need a source that they belong to.
