package main

import (
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// processNanoseconds is the CPU time of the whole process, the garbage collector included.
func processNanoseconds() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func heapBytes() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

type keyQueue = workqueue.TypedInterface[types.NamespacedName]

// queues measures the queues of client-go and controller-runtime as bench/queue_bench.cc measures kinformer's, and prints the same
// rows.
func queues(count int) {
	keys := make([]types.NamespacedName, count)
	for i := range keys {
		keys[i] = types.NamespacedName{
			Namespace: "team-" + strconv.Itoa(i%100),
			Name:      fmt.Sprintf("application-%d-%010x-%05x", i%100, uint64(i/700)*2654435761%(1<<40), i),
		}
	}
	for _, kind := range []struct {
		name string
		make func() keyQueue
	}{
		{"client-go", func() keyQueue { return workqueue.NewTyped[types.NamespacedName]() }},
		{"controller-runtime", func() keyQueue { return priorityqueue.New[types.NamespacedName]("") }},
		{"controller-runtime+metrics", func() keyQueue { return priorityqueue.New[types.NamespacedName]("bench") }},
	} {
		for _, workers := range []int{1, 8} {
			fillAndDrain(kind.name, kind.make(), keys, workers)
			addAndTake(kind.name, "flow", kind.make(), keys, workers, count, count)
			addAndTake(kind.name, "hot", kind.make(), keys, workers, 5*count, 100)
		}
	}
}

func printQueueRow(name, workload string, workers, operations int, cpu int64, bytes float64) {
	fmt.Printf("%s %s %d %d %d %.1f\n", name, workload, workers, operations, cpu, bytes)
}

// startWorkers returns a function that waits until nothing is left, and then tells how many keys were taken.
func startWorkers(queue keyQueue, workers int) func() int {
	var taken atomic.Int64
	var threads sync.WaitGroup
	for range workers {
		threads.Add(1)
		go func() {
			defer threads.Done()
			for {
				key, shutdown := queue.Get()
				if shutdown {
					return
				}
				taken.Add(1)
				queue.Done(key)
			}
		}()
	}
	return func() int {
		// Neither queue waits for what is queued when it shuts down: all taken, and nothing new for a while.
		for last := int64(-1); queue.Len() > 0 || taken.Load() != last; {
			last = taken.Load()
			time.Sleep(2 * time.Millisecond)
		}
		queue.ShutDown()
		threads.Wait()
		return int(taken.Load())
	}
}

func fillAndDrain(name string, queue keyQueue, keys []types.NamespacedName, workers int) {
	heap := heapBytes()
	start := processNanoseconds()
	for _, key := range keys {
		queue.Add(key)
	}
	for queue.Len() < len(keys) { // what controller-runtime adds later
		time.Sleep(time.Millisecond)
	}
	cpu := processNanoseconds() - start
	bytes := float64(heapBytes()-heap) / float64(len(keys))
	if workers == 1 {
		printQueueRow(name, "fill", 1, len(keys), cpu, bytes)
	}
	start = processNanoseconds()
	startWorkers(queue, workers)()
	printQueueRow(name, "drain", workers, 2*len(keys), processNanoseconds()-start, 0)
}

func addAndTake(name, workload string, queue keyQueue, keys []types.NamespacedName, workers, adds, distinct int) {
	runtime.GC()
	start := processNanoseconds()
	wait := startWorkers(queue, workers)
	for i, key := 0, 0; i < adds; i++ {
		queue.Add(keys[key])
		if key++; key == distinct {
			key = 0
		}
	}
	taken := wait()
	printQueueRow(name, workload, workers, adds+2*taken, processNanoseconds()-start, 0)
}
