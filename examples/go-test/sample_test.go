package sample

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"kinformer.example/go-test/kinformertest"
)

var server *kinformertest.Server

// One server for all tests of the package, each of which has a namespace of its own.
func TestMain(m *testing.M) {
	var err error
	if server, err = kinformertest.Start("--simulate-workloads"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	server.Stop()
	os.Exit(status)
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func TestConfigMapIsCreatedOnce(t *testing.T) {
	maps := server.Client.CoreV1().ConfigMaps(server.Namespace(t))
	if _, err := maps.Create(t.Context(), configMap("a"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := maps.Create(t.Context(), configMap("a"), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		t.Fatalf("want AlreadyExists, got %v", err)
	}
}

func TestSimulatedDeploymentBecomesReady(t *testing.T) {
	deployments := server.Client.AppsV1().Deployments(server.Namespace(t))
	labels := map[string]string{"app": "web"}
	replicas := int32(2)
	_, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			found, err := deployments.Get(ctx, "web", metav1.GetOptions{})
			return err == nil && found.Status.ReadyReplicas == replicas, err
		})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRestoredServerIsAsItWas(t *testing.T) {
	own := kinformertest.New(t)
	state, err := own.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	maps := own.Client.CoreV1().ConfigMaps("default")
	if _, err := maps.Create(t.Context(), configMap("left"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := own.Restore(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	if _, err := maps.Get(t.Context(), "left", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Fatalf("want NotFound, got %v", err)
	}
}

func TestStopRemovesFiles(t *testing.T) {
	own := kinformertest.New(t)
	own.Stop()
	if _, err := os.Stat(own.Kubeconfig); !os.IsNotExist(err) {
		t.Fatalf("want no kubeconfig, got %v", err)
	}
}

func TestWrongOptionIsAnError(t *testing.T) {
	_, err := kinformertest.Start("--no-such-option")
	if err == nil || !strings.Contains(err.Error(), "--no-such-option") {
		t.Fatalf("want the words of the server, got %v", err)
	}
}
