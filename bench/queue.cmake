# Work queues, beside those of client-go and controller-runtime (bench/queues).
add_executable(queue_bench queue_bench.cc)
target_link_libraries(queue_bench PRIVATE kinformer_workqueue kinformer_object kinformer_flags)
