// Package kinformertest starts `kinformer apiserver` for tests. It ends with the test, and with the
// process of the test, however that ends.
package kinformertest

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Server is a running server.
type Server struct {
	// Config is for client-go; its user is in the group system:masters.
	Config *rest.Config
	// Client is of that user.
	Client kubernetes.Interface
	// Kubeconfig is the path of a file with the same.
	Kubeconfig string

	stop func()
}

// Start starts a server with these further arguments of `kinformer apiserver`, and returns once it
// serves. The program is that of KINFORMER_COMMAND, or `kinformer` on PATH. For TestMain, where
// there is no test yet; tests call New.
func Start(arguments ...string) (*Server, error) {
	program := os.Getenv("KINFORMER_COMMAND")
	if program == "" {
		program = "kinformer"
	}
	folder, err := os.MkdirTemp("", "kinformer-")
	if err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(folder, "kubeconfig")
	var errors bytes.Buffer
	process := exec.Command(program, append([]string{"apiserver", "--listen", "127.0.0.1:0",
		"--stop-with-stdin", "--debug-endpoints", "--tls", "--cert-dir", folder,
		"--kubeconfig-out", kubeconfig}, arguments...)...)
	process.Env = append(os.Environ(), "KINFORMER_APISERVER_TOKEN="+rand.Text())
	process.Stderr = &errors
	fail := func(err error) (*Server, error) {
		os.RemoveAll(folder)
		return nil, fmt.Errorf("%s apiserver: %w", program, err)
	}
	input, err := process.StdinPipe()
	if err != nil {
		return fail(err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return fail(err)
	}
	if err := process.Start(); err != nil {
		return fail(err)
	}
	ready := false
	for lines := bufio.NewScanner(output); !ready && lines.Scan(); {
		ready = strings.HasPrefix(lines.Text(), "kubeconfig in ")
	}
	s := &Server{Kubeconfig: kubeconfig}
	s.stop = sync.OnceFunc(func() {
		input.Close()
		process.Wait()
		os.RemoveAll(folder)
	})
	if !ready {
		s.Stop()
		return fail(fmt.Errorf("ended at its start: %s", strings.TrimSpace(errors.String())))
	}
	if s.Config, err = clientcmd.BuildConfigFromFlags("", kubeconfig); err == nil {
		s.Client, err = kubernetes.NewForConfig(s.Config)
	}
	if err != nil {
		s.Stop()
		return fail(err)
	}
	return s, nil
}

// New starts a server that ends with the test.
func New(t testing.TB, arguments ...string) *Server {
	t.Helper()
	s, err := Start(arguments...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Stop ends the server and removes its files. It may be repeated.
func (s *Server) Stop() { s.stop() }

// Namespace makes a namespace for the test alone, which is deleted at its end.
func (s *Server) Namespace(t testing.TB) string {
	t.Helper()
	namespaces := s.Client.CoreV1().Namespaces()
	made, err := namespaces.Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// The context of the test has ended.
		err := namespaces.Delete(context.Background(), made.Name, metav1.DeleteOptions{})
		if err != nil {
			t.Error(err)
		}
	})
	return made.Name
}

// Snapshot returns all that is stored, for Restore of this or another server.
func (s *Server) Snapshot(ctx context.Context) ([]byte, error) {
	return s.Client.CoreV1().RESTClient().Get().AbsPath("/debug/snapshot").Do(ctx).Raw()
}

// Restore replaces all that is stored. Open watches end with 410, and clients list again.
func (s *Server) Restore(ctx context.Context, state []byte) error {
	return s.Client.CoreV1().RESTClient().Put().AbsPath("/debug/snapshot").
		SetHeader("Content-Type", "application/octet-stream").Body(state).Do(ctx).Error()
}
