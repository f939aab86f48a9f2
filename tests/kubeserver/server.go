// SPDX-License-Identifier: Apache-2.0

package kubeserver

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/otelcol-tc/otelcol-tc/tests/collectortest"
	"github.com/otelcol-tc/otelcol-tc/tests/servers"
)

// httpClient trusts the server.
func (k *Server) httpClient(t *testing.T) *http.Client {
	t.Helper()
	certificate, err := os.ReadFile(k.Authority)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(certificate))
	return &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true},
	}
}

// What is installed, as seen from the folder of a package of tests, and where.
const (
	KustomizeNamespaces  = "../../deploy/kubernetes/namespaces"
	KustomizeBase        = "../../deploy/kubernetes/base"
	KustomizeSharedIndex = "../../deploy/kubernetes/overlays/shared-index"
	HelmChart            = "../../deploy/helm/otelcol-tc"
	AgentNamespace       = "otelcol-tc-agent"
	GatewayNamespace     = "otelcol-tc"
)

// Tool returns the path of a program of make kubernetes.
func Tool(t *testing.T, name string) string {
	t.Helper()
	return collectortest.Needs(t, "kubernetes", filepath.Join(".tools", name))
}

// RunTool returns what a program of make kubernetes writes to stdout.
func RunTool(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Tool(t, name), args...)
	// Nothing of the developer's own clusters and charts.
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s %v:\n%s", name, args, &stderr)
	return out
}

// adminToken is that of a user who may do everything.
const adminToken = "admin"

// Server is a running Kubernetes API server with authorization by roles and the admission that
// is on by default. There are no controllers, no scheduler and no nodes: the tests do their work.
type Server struct {
	*servers.Server
	etcd      *servers.Server
	URL       string
	Authority string // file of the certificate of who signed the server's
	AuditLog  string

	Kubeconfig string // the administrator's
	Client     *kubernetes.Clientset
}

// Start runs an API server and its etcd until the test ends.
func Start(t *testing.T) (k *Server) {
	t.Helper()
	servers.OnFreePorts(t, 3, func(addresses []string) (log string, ready bool) {
		k = newAPIServer(t, addresses[0], addresses[2])
		k.etcd = newEtcd(t, addresses[0], addresses[1])
		if log, ready = k.runEtcd(t, addresses[0]); !ready {
			return log, ready
		}
		return k.Run(t)
	})
	config, err := clientcmd.BuildConfigFromFlags("", k.Kubeconfig)
	require.NoError(t, err)
	config.QPS = -1
	k.Client, err = kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return k
}

func newEtcd(t *testing.T, client, peer string) *servers.Server {
	t.Helper()
	return &servers.Server{Binary: Tool(t, "etcd"), Args: []string{
		"--data-dir", t.TempDir(), "--unsafe-no-fsync", "--log-level", "error",
		"--listen-client-urls", "http://" + client, "--advertise-client-urls", "http://" + client,
		"--listen-peer-urls", "http://" + peer, "--initial-advertise-peer-urls", "http://" + peer,
		"--initial-cluster", "default=http://" + peer,
	}}
}

func (k *Server) runEtcd(t *testing.T, address string) (log string, ready bool) {
	t.Helper()
	return k.etcd.Start(t, func() error {
		_, err := collectortest.GetPage(t.Context(), "http://"+address+"/health")
		return err
	})
}

func newAPIServer(t *testing.T, etcd, address string) *Server {
	t.Helper()
	dir := t.TempDir()
	host, port, _ := strings.Cut(address, ":")
	a := collectortest.NewAuthority(t)
	certificate, key := a.Server(t)
	k := &Server{URL: "https://" + address, Authority: a.File, AuditLog: filepath.Join(dir, "audit.log")}

	signing, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	signingKey := filepath.Join(dir, "sa.key")
	require.NoError(t, os.WriteFile(signingKey, pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(signing),
	}), 0o600))
	tokens := filepath.Join(dir, "tokens.csv")
	require.NoError(t, os.WriteFile(tokens, []byte(adminToken+",admin,admin,system:masters\n"), 0o600))
	k.Kubeconfig = WriteKubeconfig(t, k.URL, k.Authority, adminToken)

	k.Server = &servers.Server{Binary: Tool(t, "kube-apiserver"), Args: []string{
		"--etcd-servers", "http://" + etcd,
		"--bind-address", host, "--secure-port", port,
		"--tls-cert-file", certificate, "--tls-private-key-file", key, "--cert-dir", dir,
		"--authorization-mode", "RBAC", "--token-auth-file", tokens,
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", signingKey, "--service-account-signing-key-file", signingKey,
		"--service-cluster-ip-range", "10.0.0.0/24",
		// The server would publish its address for pods, and a loopback address is refused.
		"--endpoint-reconciler-type", "none",
		"--audit-policy-file", "../kubernetes/audit.yaml", "--audit-log-path", k.AuditLog,
	}}
	return k
}

// Run starts the server, for the first time or again.
func (k *Server) Run(t *testing.T) (log string, ready bool) {
	t.Helper()
	client := k.httpClient(t)
	return k.Start(t, func() error {
		response, err := client.Get(k.URL + "/readyz")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("/readyz: %s", response.Status)
		}
		return nil
	})
}

// End kills both: nobody needs what they know, and together they take 10 s to end by themselves.
func (k *Server) End(t *testing.T) {
	t.Helper()
	for _, s := range []*servers.Server{k.Server, k.etcd} {
		select {
		case <-s.Ended:
		default:
			s.Kill(t)
		}
	}
}

// WriteKubeconfig returns the file of a configuration that logs in with a token.
func WriteKubeconfig(t *testing.T, url, authority, token string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: test, user: {token: %q}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: test
`, url, authority, token), 0o600))
	return file
}

// Kubectl runs kubectl as the administrator.
func (k *Server) Kubectl(t *testing.T, args ...string) {
	t.Helper()
	RunTool(t, "kubectl", append([]string{"--kubeconfig", k.Kubeconfig, "--warnings-as-errors"}, args...)...)
}

// Helm runs helm as the administrator.
func (k *Server) Helm(t *testing.T, args ...string) {
	t.Helper()
	RunTool(t, "helm", append([]string{"--kubeconfig", k.Kubeconfig}, args...)...)
}
