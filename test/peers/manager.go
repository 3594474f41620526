package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const finalizer = "peers.example.com/clean-up"

func watchList() bool { return os.Getenv("KUBE_FEATURE_WatchListClient") != "false" }

func newGear() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: gears.Group, Version: gears.Version, Kind: "Gear"})
	return object
}

// gearReconciler keeps a ConfigMap for each gear, says so in the gear's status, and takes the ConfigMap away when the gear goes.
type gearReconciler struct{ client.Client }

func (r gearReconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := newGear()
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: request.Namespace, Name: request.Name + "-teeth"}}
	if object.GetDeletionTimestamp() != nil {
		if err := client.IgnoreNotFound(r.Delete(ctx, owned)); err != nil {
			return reconcile.Result{}, err
		}
		if controllerutil.RemoveFinalizer(object, finalizer) {
			return reconcile.Result{}, r.Update(ctx, object)
		}
		return reconcile.Result{}, nil
	}
	if controllerutil.AddFinalizer(object, finalizer) {
		if err := r.Update(ctx, object); err != nil {
			return reconcile.Result{}, err
		}
	}
	size, _, _ := unstructured.NestedInt64(object.Object, "spec", "size")
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, owned, func() error {
		owned.Data = map[string]string{"teeth": fmt.Sprint(size * 10)}
		return controllerutil.SetControllerReference(object, owned, r.Scheme())
	}); err != nil {
		return reconcile.Result{}, err
	}
	before := object.DeepCopy()
	if err := unstructured.SetNestedField(object.Object, size*10, "status", "teeth"); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, r.Status().Patch(ctx, object, client.MergeFrom(before))
}

// runManager: a reconciler does its work: finalizers, owned objects, status; and again when what it made is taken away.
func runManager(ctx context.Context, p *peer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	namespace, err := p.newNamespace(ctx)
	if err != nil {
		return err
	}
	dynamicClient, err := p.defineGears(ctx)
	if err != nil {
		return err
	}
	ctrl.SetLogger(logr.Discard())
	manager, err := ctrl.NewManager(p.config, ctrl.Options{
		Metrics:          server.Options{BindAddress: "0"},
		Cache:            cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		LeaderElection:   true,
		LeaderElectionID: "gears.peers.example.com", LeaderElectionNamespace: namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return fmt.Errorf("the manager: %w", err)
	}
	if err := ctrl.NewControllerManagedBy(manager).For(newGear()).Owns(&corev1.ConfigMap{}).
		Complete(gearReconciler{manager.GetClient()}); err != nil {
		return fmt.Errorf("the controller: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- manager.Start(ctx) }()
	if err := p.driveGears(ctx, namespace, dynamicClient); err != nil {
		select {
		case ended := <-done:
			return fmt.Errorf("%w; and the manager ended: %w", err, ended)
		default:
			return err
		}
	}
	stop()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errors.New("the manager does not stop")
	}
}

func (p *peer) driveGears(ctx context.Context, namespace string, all dynamic.Interface) error {
	of := all.Resource(gears).Namespace(namespace)
	teeth := func(name, want string) error {
		return until(ctx, name+" has "+want+" teeth", func() (bool, string) {
			owned, err := p.client.CoreV1().ConfigMaps(namespace).Get(ctx, name+"-teeth", metav1.GetOptions{})
			if err != nil {
				return false, err.Error()
			}
			object, err := of.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, err.Error()
			}
			status, _, _ := unstructured.NestedInt64(object.Object, "status", "teeth")
			return owned.Data["teeth"] == want && fmt.Sprint(status) == want && len(owned.OwnerReferences) == 1,
				fmt.Sprint(owned.Data, object.Object["status"])
		})
	}
	for i := range 20 {
		if _, err := of.Create(ctx, gear(namespace, fmt.Sprintf("g%d", i), int64(i+1)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for i := range 20 {
		if err := teeth(fmt.Sprintf("g%d", i), fmt.Sprint(10*(i+1))); err != nil {
			return err
		}
	}
	// Taken away: made again, since the manager watches what its gears own.
	if err := p.client.CoreV1().ConfigMaps(namespace).Delete(ctx, "g3-teeth", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := teeth("g3", "40"); err != nil {
		return err
	}
	object, err := of.Get(ctx, "g4", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(object.Object, int64(77), "spec", "size"); err != nil {
		return err
	}
	for { // the reconciler may have written in between
		if _, err = of.Update(ctx, object, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			break
		}
		if object, err = of.Get(ctx, "g4", metav1.GetOptions{}); err != nil {
			return err
		}
		if err := unstructured.SetNestedField(object.Object, int64(77), "spec", "size"); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if err := teeth("g4", "770"); err != nil {
		return err
	}
	for i := range 20 {
		if err := of.Delete(ctx, fmt.Sprintf("g%d", i), metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return until(ctx, "gears and what they own are gone", func() (bool, string) {
		left, err := of.List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err.Error()
		}
		owned, err := p.onServer(ctx, namespace)
		if err != nil {
			return false, err.Error()
		}
		return len(left.Items) == 0 && len(owned) == 0, fmt.Sprintf("%d gears, %v", len(left.Items), owned)
	})
}
