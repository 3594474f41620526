package main

import (
	"context"
	"fmt"
	"sync"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// benchRequests is bench/e2e/requests_main.cc with client-go: reads of one pod, one after the other or by 64 goroutines.
func benchRequests(config *rest.Config, requests, atOnce int) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx := context.Background()
	page, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	pods, name := client.CoreV1().Pods(page.Items[0].Namespace), page.Items[0].Name
	run := func(count int) error {
		var group sync.WaitGroup
		failures := make(chan error, atOnce)
		for range atOnce {
			group.Add(1)
			go func() {
				defer group.Done()
				for range count / atOnce {
					if _, err := pods.Get(ctx, name, metav1.GetOptions{}); err != nil {
						failures <- err
						return
					}
				}
			}()
		}
		group.Wait()
		close(failures)
		return <-failures
	}
	if err := run(requests / 10); err != nil {
		return err
	}
	before := cpuMicroseconds()
	if err := run(requests); err != nil {
		return err
	}
	fmt.Printf("{\"client\":\"client-go, %d at once\",\"cpu_us\":%.2f}\n", atOnce,
		float64(cpuMicroseconds()-before)/float64(requests))
	return nil
}

func cpuMicroseconds() int64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return (usage.Utime.Nano() + usage.Stime.Nano()) / 1000
}
