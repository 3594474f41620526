package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// leader: of two candidates one leads; the other follows when it gives up, and when it vanishes without a word.
func leader(ctx context.Context, p *peer) error {
	namespace, err := p.newNamespace(ctx)
	if err != nil {
		return err
	}
	for _, release := range []bool{true, false} {
		lease := fmt.Sprintf("lock-%v", release)
		if err := p.fail(ctx, namespace, lease, release); err != nil {
			return fmt.Errorf("giving up %v: %w", release, err)
		}
	}
	return nil
}

func (p *peer) fail(ctx context.Context, namespace, lease string, release bool) error {
	var mu sync.Mutex
	leading := map[string]bool{}
	var problem error
	var order []string
	start := func(name string) context.CancelFunc {
		ctx, cancel := context.WithCancel(ctx)
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: lease},
			Client:     p.client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name}}
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			ReleaseOnCancel: release,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) {
					mu.Lock()
					defer mu.Unlock()
					for other, leads := range leading {
						if leads {
							problem = fmt.Errorf("%s leads while %s does", name, other)
						}
					}
					leading[name] = true
					order = append(order, name)
				},
				OnStoppedLeading: func() {
					mu.Lock()
					defer mu.Unlock()
					leading[name] = false
				},
			}})
		return cancel
	}
	leads := func(name string) func() (bool, string) {
		return func() (bool, string) {
			mu.Lock()
			defer mu.Unlock()
			return leading[name], fmt.Sprint(order)
		}
	}
	stopOne := start("one")
	defer stopOne()
	if err := until(ctx, "the first leads", leads("one")); err != nil {
		return err
	}
	stopTwo := start("two")
	defer stopTwo()
	for range 10 {
		time.Sleep(100 * time.Millisecond)
		if early, _ := leads("two")(); early {
			return errors.New("the second leads before the first has gone")
		}
	}
	stopOne()
	if err := until(ctx, "the second leads", leads("two")); err != nil {
		return err
	}
	object, err := p.client.CoordinationV1().Leases(namespace).Get(ctx, lease, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if *object.Spec.HolderIdentity != "two" || *object.Spec.LeaseTransitions < 1 || object.Spec.RenewTime.IsZero() {
		return fmt.Errorf("the lease says %v", object.Spec)
	}
	mu.Lock()
	defer mu.Unlock()
	return problem
}
