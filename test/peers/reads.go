package main

import (
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// threadNanoseconds is the CPU time of the calling thread.
func threadNanoseconds() float64 {
	const thisThread = 1 // RUSAGE_THREAD
	var usage syscall.Rusage
	if err := syscall.Getrusage(thisThread, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano() + usage.Stime.Nano())
}

// reads measures look-ups in client-go's lister as bench/read_bench.cc measures kinformer's: CPU time of the reading thread, of
// a cache of `pods` pods in 100 namespaces, 10,000 hot keys and random ones, alone and beside a writer of 50,000 a second. The
// garbage collector's threads are not counted, which favours client-go.
func reads(pods, rounds int) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	all := make([]*corev1.Pod, pods)
	for i := range all {
		all[i] = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "team-" + strconv.Itoa(i%100),
			Name:      fmt.Sprintf("application-%d-%010x-%05x", i/700, uint64(i/700)*2654435761, i),
		}}
		if err := indexer.Add(all[i]); err != nil {
			panic(err)
		}
	}
	lister := listers.NewPodLister(indexer)
	for _, beside := range []string{"", ", beside 50,000 writes/s"} {
		var done chan struct{}
		var writer sync.WaitGroup
		if beside != "" {
			done = make(chan struct{})
			writer.Add(1)
			go func() {
				defer writer.Done()
				ticks := time.NewTicker(time.Millisecond)
				defer ticks.Stop()
				for {
					select {
					case <-done:
						return
					case <-ticks.C:
						for range 50 {
							if err := indexer.Update(all[rand.Intn(pods)].DeepCopy()); err != nil {
								panic(err)
							}
						}
					}
				}
			}()
		}
		compareReads("10,000 hot keys"+beside, rounds, min(10_000, pods), all, lister, indexer)
		compareReads("random keys"+beside, rounds, pods, all, lister, indexer)
		if done != nil {
			close(done)
			writer.Wait()
		}
	}
}

func compareReads(title string, rounds, distinct int, all []*corev1.Pod, lister listers.PodLister, indexer cache.Indexer) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	order := make([]int, 1<<17)
	for i := range order {
		order[i] = rand.Intn(distinct) * (len(all) / distinct)
	}
	keys := make([]string, len(all))
	for i, pod := range all {
		keys[i] = pod.Namespace + "/" + pod.Name
	}
	var byName, byKey []float64
	for range rounds + 1 {
		start := threadNanoseconds()
		for _, at := range order {
			if _, err := lister.Pods(all[at].Namespace).Get(all[at].Name); err != nil {
				panic(err)
			}
		}
		middle := threadNanoseconds()
		for _, at := range order {
			if _, there, _ := indexer.GetByKey(keys[at]); !there {
				panic(keys[at])
			}
		}
		byName = append(byName, (middle-start)/float64(len(order)))
		byKey = append(byKey, (threadNanoseconds()-middle)/float64(len(order)))
	}
	for _, row := range []struct {
		name  string
		times []float64
	}{{"PodLister.Pods(ns).Get(name)", byName[1:]}, {"Indexer.GetByKey", byKey[1:]}} {
		slices.Sort(row.times)
		fmt.Printf("%-40s %-30s %9.1f ns\n", title, row.name, row.times[len(row.times)/2])
	}
}
